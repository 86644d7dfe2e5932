"""A method as the options of a command line that give it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from microveil.core.registry import Value


def setting(name: str, value: Any) -> str:
    """The option that gives a parameter a value.

    >>> setting("columns", ["a", "b"])
    "--set 'columns=[a, b]'"
    >>> print(setting("rules", ["if a: b = 0"]))
    --set "rules=['if a: b = 0']"
    """
    text = f"{name}={write_option(value)}"
    # as a person would write it, where no shell gives a meaning to anything in it
    plain = "'" in text and not set(text) & set('"$`\\!')
    return f'--set "{text}"' if plain else f"--set {shlex.quote(text)}"


def write_option(value: Any) -> str:
    """A value as --set and plan files take it."""
    from microveil.io import write_yaml

    return write_yaml(value, flow=True, width=1 << 20).removesuffix("...\n").strip()


def as_options(method: Value) -> str:
    """The options that give this method."""
    return " ".join([f"--method {method.name}", *_settings(method, "")])


def _settings(value: Value, path: str) -> Iterator[str]:
    spec = value.to_spec()
    given = {} if isinstance(spec, str) else spec[value.name]
    for parameter in value.parameters():
        if parameter.name not in given:
            continue
        inner, name = getattr(value, parameter.name), path + parameter.name
        if not isinstance(inner, Value):
            yield setting(name, given[parameter.name])
            continue
        # what is set one by one is added to the default: another method of the family takes its place first
        default = parameter.default
        if not isinstance(default, Value) or inner.name != default.name or not _adds_to(inner, default):
            yield setting(name, inner.name)
        yield from _settings(inner, f"{name}.")


def _adds_to(inner: Value, default: Value) -> bool:
    """Whether the settings of a value include all those of the default."""
    spec, before = inner.to_spec(), default.to_spec()
    return isinstance(before, str) or (not isinstance(spec, str) and set(before[default.name]) <= set(spec[inner.name]))
