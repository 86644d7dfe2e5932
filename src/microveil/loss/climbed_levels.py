"""How far up its hierarchy each cell of a column was released."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.core.open_types import Cell
from microveil.data.table import Values
from microveil.hierarchy.checking import TOP
from microveil.hierarchy.levels import level_texts
from microveil.measure import Pair
from microveil.measure.classes import is_made_coarser


@dataclass(frozen=True)
class ClimbedLevels:
    """For each original record the level its cell was released at, and the number of levels above the values.

    A cell that is not released, or at no level of its hierarchy, is at the top. `dropped`: records not released.
    """

    levels: Floats
    height: int
    dropped: Bools


def climbed_levels(pair: Pair, name: str) -> ClimbedLevels | None:
    """The levels of one column; None where it has no hierarchy that tells them."""
    before, after = (table[name] for table in pair.own_tables([name]))
    left, right = pair.linked_rows
    dropped = np.ones(len(before.data), dtype=np.bool_)
    dropped[left] = False
    texts = _texts(before)
    coarser = is_made_coarser(before, after)
    if coarser and not before.hierarchy and (before.kind != "nominal" or before.levels is None):
        return None
    height = len(texts)
    levels = np.full(len(dropped), float(height))
    if not coarser:
        first, second = (table[name].numbers for table in pair.tables([name]))
        x, y = first[left], second[right]
        levels[left] = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, height)
        return ClimbedLevels(levels, height, dropped)
    shown = [str(value) for value in after.levels or ()]
    values, codes = _coded(before)
    pairs, of_pair = np.unique(np.column_stack([codes[left], after.data[right]]), axis=0, return_inverse=True)
    possible = np.array([_fits(values, texts, shown, *pair_of) for pair_of in pairs.tolist()], dtype=np.bool_)
    # one level for all records where there is one, the lowest; else that of each cell
    common = np.flatnonzero(possible.all(axis=0))
    found = np.full(len(pairs), common[0]) if len(common) else np.argmax(possible, axis=1)
    levels[left] = found[of_pair.reshape(-1)]
    return ClimbedLevels(levels, height, dropped)


def _fits(values: list[Cell], texts: list[list[str]], shown: list[str], code: int, released: int) -> list[bool]:
    """Whether an original value looks as it was released, on each level; what looks so on none is at the top."""
    if released < 0 or code < 0:
        same = released < 0 and code < 0
        anything = released >= 0 and shown[released] == TOP
        return [*[same] * len(texts), anything or not same]
    text = shown[released]
    fits = [str(values[code]) == text, *(level[code] == text for level in texts)]
    return [*fits[:-1], fits[-1] or text == TOP or not any(fits)]


def _coded(column: Values) -> tuple[list[Cell], np.ndarray[tuple[int, ...], np.dtype[np.int64]]]:
    if column.levels is not None:
        return list(column.levels), np.asarray(column.data, dtype=np.int64)
    values, inverse = np.unique(column.numbers[~column.missing], return_inverse=True)
    codes = np.full(len(column.data), -1, dtype=np.int64)
    codes[~column.missing] = inverse.reshape(-1)
    return values.tolist(), codes


def _texts(column: Values) -> list[list[str]]:
    """The text of each value on every level above it, the last of which joins all; without a hierarchy one level."""
    values = _coded(column)[0]
    stated = column.hierarchy
    if not stated:
        return [[TOP] * len(values)]
    paths = [stated.get(value) or stated.get(_text(value)) or (_text(value),) for value in values]
    return level_texts(paths, stated, bool(column.missing.any()))


def _text(value: Cell) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)
