"""Parameters of a method as the options of a command line."""

from __future__ import annotations

import shlex
from typing import Any


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
