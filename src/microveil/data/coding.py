"""One coding for columns of categories that were coded apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from microveil.core.arrays import Ints
from microveil.data.table import Values


def in_common(parts: Sequence[Values]) -> list[Values]:
    """The columns with one list of levels, those of the first part first; numbers stay as they are.

    Where some values of a column of numbers became classes, all of it is text: a text that is one of the numbers as it
    is written is that number.
    """
    # Without this `1` and "1" had no common cell, so every figure of such a column seemed lost.
    classes = [part for part in parts if part.levels is not None]
    if classes and len(classes) < len(parts):
        # amounts that stayed as they are beside others that became classes
        parts = [_as_classes(part, classes[0].kind) if part.levels is None else part for part in parts]
    first = parts[0]
    if all(part.levels == first.levels for part in parts):
        return list(parts)
    shown = _as_numbers([part.levels or () for part in parts])
    levels = tuple(dict.fromkeys(level for one in shown for level in one))
    position = {level: code for code, level in enumerate(levels)}
    return [
        replace(part, data=_recoded(part, own, position), levels=levels) for part, own in zip(parts, shown, strict=True)
    ]


def _recoded(part: Values, levels: Sequence[Any], position: dict[Any, int]) -> Ints:
    # the last entry is for -1, a missing cell
    lookup = np.array([*(position[level] for level in levels), -1], dtype=np.int64)
    return np.asarray(lookup[part.data], dtype=np.int64)


def is_written_as(value: Any, text: Any) -> bool:
    """Whether a text is a number as it is written in files: `1` for 1, never `01`."""
    return isinstance(text, str) and _is_number(value) and text in _written(value)


def _as_numbers(parts: Sequence[tuple[Any, ...]]) -> Sequence[tuple[Any, ...]]:
    """The levels of each part, where texts that are how a number of another part is written are that number."""
    numbers = [level for levels in parts for level in levels if _is_number(level)]
    if not numbers or not any(isinstance(level, str) for levels in parts for level in levels):
        return parts
    number_of = {text: number for number in numbers for text in _written(number)}
    found = [tuple(number_of.get(x, x) if isinstance(x, str) else x for x in levels) for levels in parts]
    # a part that holds both 1 and the text of it tells them apart
    return found if all(len(set(one)) == len(one) for one in found) else parts


def _is_number(level: Any) -> bool:
    return isinstance(level, Real) and not isinstance(level, bool)


def _written(number: Any) -> set[str]:
    return {str(number), f"{float(number):.15g}"}


def _as_classes(values: Values, kind: str) -> Values:
    """Amounts as classes of a single number each."""
    numbers, codes = np.unique(values.numbers[~values.missing] + 0.0, return_inverse=True)
    data = np.full(len(values.data), -1, dtype=np.int64)
    data[~values.missing] = codes
    return Values(kind, data, tuple(f"{number:.15g}" for number in numbers.tolist()))


def join_values(parts: Sequence[Values]) -> Values:
    """The columns one below the other; where some have numbers as levels and others classes, all levels are text."""
    if len(parts) == 1:
        return parts[0]
    alike = in_common(parts)
    levels = None if alike[0].levels is None else of_one_type(alike[0].levels)
    return replace(alike[0], data=np.concatenate([part.data for part in alike]), levels=levels)


def of_one_type(levels: tuple[Any, ...]) -> tuple[Any, ...]:
    """Levels as texts where numbers and texts are among them: a column of a file holds either.

    >>> of_one_type((20, "25..30", 2.5)), of_one_type((20, 2.5))
    (('20', '25..30', '2.5'), (20, 2.5))
    """
    if not any(map(_is_number, levels)) or not any(isinstance(level, str) for level in levels):
        return levels
    texts = tuple(f"{float(level):.15g}" if _is_number(level) else level for level in levels)
    return texts if len(set(texts)) == len(texts) else levels


def as_amounts(values: Values) -> Values:
    """A column of classes as amounts, where a class is the text of a single number; missing elsewhere."""
    if values.levels is None:
        return values
    numbers = np.array([*(_number(level) for level in values.levels), np.nan], dtype=np.float64)
    return Values("continuous", numbers[values.data])


def _number(level: Any) -> float:
    if isinstance(level, str) and level.endswith(("]", "}")):
        return float("nan")  # a range or a set: asking and being refused takes long, and there may be many
    try:
        return float(level)
    except (TypeError, ValueError):
        return float("nan")
