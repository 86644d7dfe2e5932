"""Options and arguments of every command; of the words of its help only a hash.

Types are those of the functions below the commands, and words those that are stated there: how they are laid out is
up to the version of typer.
"""

from __future__ import annotations

import hashlib
import inspect
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from microveil.cli.app import app, with_plain_types
from tests.frozen.surface import type_text


def entries() -> Iterator[tuple[str, Any]]:
    """Yield every command, each of its options and arguments, and the hash of its words."""
    yield from _command(with_plain_types(typer.main.get_command(app)), "microveil")


def _command(command: Any, here: str) -> Iterator[tuple[str, Any]]:
    inside = dict(sorted(getattr(command, "commands", {}).items()))
    yield here, {"hidden": command.hidden, "commands": list(inside)}
    types = _types(command.callback)
    for parameter in command.params:
        if parameter.name not in types:  # of typer itself: --install-completion
            continue
        opts = [*parameter.opts, *parameter.secondary_opts]
        name = max(opts, key=len) if parameter.param_type_name == "option" else parameter.name.upper()
        kind, bounds = types[parameter.name]
        yield f"{here} {name}", {"opts": opts, "type": kind, **bounds, **_details(parameter)}
    words = [command.help, command.short_help, command.epilog, *(one.help for one in command.params)]
    yield f"help-text {here}", hashlib.sha256(repr(words).encode()).hexdigest()[:16]
    for name, one in inside.items():
        yield from _command(one, f"{here} {name}")


def _types(function: Any) -> dict[str, tuple[str, dict[str, float]]]:
    """Return types and bounds of a function's parameters, those it takes from another one too."""
    hints = typing.get_type_hints(inspect.unwrap(function), include_extras=True)
    found = {name: hints.get(name, one.annotation) for name, one in inspect.signature(function).parameters.items()}
    return {name: (_plain(one), _bounds(one)) for name, one in found.items()}


def _plain(annotation: Any) -> str:
    is_annotated = typing.get_origin(annotation) is typing.Annotated
    return type_text(typing.get_args(annotation)[0] if is_annotated else annotation)


def _bounds(annotation: Any) -> dict[str, float]:
    extras = getattr(annotation, "__metadata__", ())
    found = {name: getattr(extra, name, None) for extra in extras for name in ("min", "max")}
    return {name: value for name, value in found.items() if value is not None}


def _details(parameter: Any) -> dict[str, Any]:
    default = parameter.default() if callable(parameter.default) else parameter.default
    found = {
        "metavar": parameter.metavar and parameter.metavar.strip(),
        "default": str(default) if isinstance(default, Path) else default,
        "required": parameter.required,
        "multiple": getattr(parameter, "multiple", False),
        "hidden": getattr(parameter, "hidden", False),
        "env": parameter.envvar,
    }
    return {name: value for name, value in found.items() if value not in (None, False, "")}
