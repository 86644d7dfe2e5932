"""The settings of a method as far as an intruder can apply them: without columns that are not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any, TypeVar

from microveil.core.errors import MicroveilError

Value = TypeVar("Value")
_NOTHING = object()


def without_columns(method: Value, unknown: frozenset[str]) -> Value:
    """A method with the unknown columns left out of every setting that names them, such as those that form groups.

    A setting of which nothing is left is what it is by default. A method that cannot be without them stays as it is.

    >>> from microveil.hybrid import MicroHybrid
    >>> without_columns(MicroHybrid(cluster_on=("age", "weight")), frozenset({"weight"})).cluster_on
    ('age',)
    """
    if not is_dataclass(method) or isinstance(method, type):
        return method
    changed: dict[str, Any] = {}
    for one in fields(method):
        before = getattr(method, one.name)
        after = _without(before, unknown)
        if after is not before:
            changed[one.name] = _default(one, before) if after is _NOTHING else after
    try:
        return replace(method, **changed) if changed else method
    except MicroveilError:
        return method  # what it says when it is run is told


def _without(value: Any, unknown: frozenset[str]) -> Any:
    """A value without the unknown columns; the very same where it names none, `_NOTHING` where no other is left."""
    if isinstance(value, tuple):
        kept = [_without(one, unknown) for one in value if not (isinstance(one, str) and one in unknown)]
        if len(kept) == len(value) and all(now is was for now, was in zip(kept, value, strict=True)):
            return value
        left = tuple(one for one in kept if one is not _NOTHING)
        return left or _NOTHING
    if isinstance(value, Mapping):
        named = {name: _without(one, unknown) for name, one in value.items() if name not in unknown}
        if len(named) == len(value) and all(named[name] is value[name] for name in value):
            return value
        return {name: one for name, one in named.items() if one is not _NOTHING} or _NOTHING
    return without_columns(value, unknown)


def _default(one: Field[Any], before: Any) -> Any:
    if one.default is not MISSING:
        return one.default
    return one.default_factory() if one.default_factory is not MISSING else before
