"""The settings of a method as words: the page is for people who write no Python."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

from microveil.core.numbers import format_number
from microveil.core.registry import Value
from microveil.plan.plan_words import few


def settings_in_words(method: Value, short: bool = False) -> str:
    """The settings of a method that say something, each as `name: value`; `short`: many names are counted.

    >>> from microveil.mask import Round
    >>> settings_in_words(Round(base=1e9)).split("; ")[0]
    'base: 1,000,000,000'
    """
    return "; ".join(f"{name}: {value}" for name, value in settings_told(method, short))


def settings_told(method: Value, short: bool = False) -> list[tuple[str, str]]:
    """The settings that say something, by name, each with its value in words."""
    given = {parameter.name: getattr(method, parameter.name) for parameter in method.parameters()}
    return [(name.replace("_", " "), _words(value, short)) for name, value in given.items() if not _is_nothing(value)]


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, tuple | Mapping) and not value)


def _words(value: Any, short: bool = False) -> str:
    if isinstance(value, Value):
        inner = settings_in_words(value, short)
        return f"{value.name} ({inner})" if inner else value.name
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Real):
        return format_number(float(value), 12)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} ({_words(inner, short)})" for name, inner in value.items())
    if isinstance(value, tuple):
        if short and all(isinstance(inner, str) for inner in value):
            return few(value, "names")
        apart = " | " if any(isinstance(inner, tuple) for inner in value) else ", "
        return apart.join(_words(inner, short) for inner in value)
    return str(value)
