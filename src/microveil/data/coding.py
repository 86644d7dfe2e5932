"""One coding for columns of categories that were coded apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from microveil.core.arrays import Ints
from microveil.data.table import Values


def in_common(parts: Sequence[Values]) -> list[Values]:
    """The columns with one list of levels, those of the first part first; numbers stay as they are."""
    classes = [part for part in parts if part.levels is not None]
    if classes and len(classes) < len(parts):
        # amounts that stayed as they are beside others that became classes
        parts = [_as_classes(part, classes[0].kind) if part.levels is None else part for part in parts]
    first = parts[0]
    if all(part.levels == first.levels for part in parts):
        return list(parts)
    levels = tuple(dict.fromkeys(level for part in parts for level in part.levels or ()))
    position = {level: code for code, level in enumerate(levels)}
    return [replace(part, data=_recoded(part, position), levels=levels) for part in parts]


def _recoded(part: Values, position: dict[Any, int]) -> Ints:
    # the last entry is for -1, a missing cell
    lookup = np.array([*(position[level] for level in part.levels or ()), -1], dtype=np.int64)
    return np.asarray(lookup[part.data], dtype=np.int64)


def _as_classes(values: Values, kind: str) -> Values:
    """Amounts as classes of a single number each."""
    numbers, codes = np.unique(values.numbers[~values.missing] + 0.0, return_inverse=True)
    data = np.full(len(values.data), -1, dtype=np.int64)
    data[~values.missing] = codes
    return Values(kind, data, tuple(f"{number:.15g}" for number in numbers.tolist()))


def join_values(parts: Sequence[Values]) -> Values:
    """The columns one below the other."""
    if len(parts) == 1:
        return parts[0]
    alike = in_common(parts)
    return replace(alike[0], data=np.concatenate([part.data for part in alike]))


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
