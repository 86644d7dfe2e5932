"""Hierarchies and columns meet by value: the text "17" of a file is the number 17 of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.hierarchy.files import value_text

_SHOWN = 5

P = TypeVar("P")


def meet_values(paths: Mapping[Any, P], values: Sequence[Cell], what: str) -> dict[Any, P]:
    """The paths by the values of the column, each of which must have one; `what` names the hierarchy in errors."""
    if all(value in paths for value in values):
        return dict(paths)
    convert = _converter(values)
    met: dict[Any, P] = {}
    said: dict[Any, Cell] = {}
    for key, path in paths.items():
        value = convert(key)
        if value in met and met[value] != path:
            raise BadInput(f"{what} gives {value!r} two paths, as {said[value]!r} and as {key!r}; name it once")
        met[value], said[value] = path, key
    absent = [value for value in values if value not in met]
    if absent:
        raise BadInput(f"{what} has no path for {_named(absent)} of the column; give each value a path")
    return met


def _named(values: Sequence[Cell]) -> str:
    more = len(values) - _SHOWN
    shown = ", ".join(map(repr, values[:_SHOWN]))
    return f"{shown} and {more:,} more values" if more > 0 else f"{shown}"


def _converter(values: Sequence[Cell]) -> Callable[[Cell], Cell]:
    """What turns a key into a value of the column's type."""
    if all(_is_number(value) for value in values):
        return _as_number
    if all(isinstance(value, str) for value in values):
        known = set(values)
        return lambda key: text if (text := value_text(key)) in known or text.strip() not in known else text.strip()
    by_text = {text: value for value in values for text in _texts(value)}
    return lambda key: by_text.get(value_text(key), key)


def _is_number(value: Cell) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_number(key: Cell) -> Cell:
    if not isinstance(key, str):
        return key
    try:
        number = float(key)
        return int(key) if number.is_integer() and key.strip().lstrip("+-").isdigit() else number
    except (ValueError, OverflowError):
        return key


def _texts(value: Cell) -> Iterable[str]:
    """The texts by which a file may name a value."""
    yield str(value)
    yield value_text(value)
    if isinstance(value, datetime) and value == datetime.combine(value.date(), datetime.min.time(), value.tzinfo):
        yield value.date().isoformat()
    elif isinstance(value, date) and not isinstance(value, datetime):
        yield f"{value.isoformat()}T00:00:00"
