"""What leaving out or coarsening one key would change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.open_types import Cell, Hierarchy
from microveil.plan.assessed_keys import KeyClasses, KeyWords, number_text

_MANY_VALUES = 10  # numbers with fewer values are not put into classes
_CLASSES = (20, 10)  # about so many classes of a range of numbers
_RARE = 0.01


@dataclass(frozen=True)
class KeyChange:
    """One change of one key, and what it leaves: records alone, records below 3, expected re-identifications."""

    key: str
    change: str
    alone: int
    below_three: int
    expected: float

    def to_json(self) -> dict[str, Any]:
        """The change in plain JSON terms."""
        return {
            "key": self.key,
            "change": self.change,
            "alone": self.alone,
            "below_three": self.below_three,
            "expected_reidentifications": self.expected,
        }


def key_changes(words: KeyWords, classes: KeyClasses) -> tuple[KeyChange, ...]:
    """Every key left out, and coarsened where its values allow it; what leaves fewest records alone comes first."""
    from microveil.kernels.tables.individual import individual_risk

    found = []
    for j, key in enumerate(words.keys):
        for change, column in _changed(words, key, classes, j):
            codes = np.delete(classes.codes, j, axis=1)
            if column is not None:
                codes = np.column_stack([codes, column])
            size, people = classes.regrouped(codes)
            risk = individual_risk(size, people)
            alone, below_three = int((size == 1).sum()), int(size[size < 3].sum())
            found.append(KeyChange(key, change, alone, below_three, float(size @ risk)))
    return tuple(sorted(found, key=lambda change: (change.alone, change.below_three, change.expected)))


def _changed(words: KeyWords, key: str, classes: KeyClasses, j: int) -> Iterator[tuple[str, Ints | None]]:
    """Each change of a key in words, with the new codes of the classes; None: the key is gone."""
    cells = words.table[key]
    codes = classes.codes[:, j]
    if len(words.keys) > 1:
        yield f"without {key}", None
    if cells.hierarchy:
        if cells.levels is not None:
            coarser = _with_gaps(codes, _parents(cells.levels, cells.hierarchy))
        else:
            amounts = cells.numbers[classes.first]
            coarser = np.where(np.isnan(amounts), -1, _parents(amounts.tolist(), cells.hierarchy))
        yield f"with {key} one level up", coarser
    numbers = _numbers(words, key, classes)
    if numbers is not None:
        for width in _widths(numbers):
            grouped = np.floor(numbers / width)
            low = np.nanmin(grouped)
            yield (
                f"with {key} in classes of {number_text(width)}",
                np.where(np.isnan(grouped), -1, np.nan_to_num(grouped - low)).astype(np.int64),
            )
    elif cells.levels is not None:
        rare = _rare_values(cells.data, len(cells.levels))
        if len(rare) > 1:
            grouped_codes = np.where(np.isin(codes, rare), rare[0], codes)
            yield f"with {len(rare)} rare values of {key} as one", grouped_codes


def _parents(levels: Sequence[Cell], hierarchy: Hierarchy) -> Ints:
    """For each level a number of its nearest generalisation; a level without one stays by itself."""
    names = [("up", path[0]) if (path := hierarchy.get(level)) else ("own", level) for level in levels]
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int64)


def _with_gaps(codes: Ints, lookup: Ints) -> Ints:
    return np.where(codes < 0, -1, lookup[np.maximum(codes, 0)])


def _numbers(words: KeyWords, key: str, classes: KeyClasses) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """The values of a key as numbers, one for each class, where they are many numbers in an order."""
    cells = words.table[key]
    if cells.levels is None:
        values = np.asarray(cells.data, dtype=np.float64)[classes.first]
    else:
        if cells.kind == "nominal" or not all(isinstance(level, int | float) for level in cells.levels):
            return None
        levels = np.array([*cells.levels, math.nan], dtype=np.float64)
        values = levels[cells.data[classes.first]]
    return values if len(np.unique(values[~np.isnan(values)])) >= _MANY_VALUES else None


def _widths(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> list[float]:
    """Widths of about twenty and ten classes: 1, 2, 5 times a power of ten; wider than a step of whole numbers."""
    # the bulk counts: one amount far out must not make the classes of all others one
    low, high = np.nanquantile(numbers, [0.05, 0.95])
    seen = numbers[~np.isnan(numbers)]
    whole = bool((seen == np.round(seen)).all())
    widths = [_nice((high - low) / count) for count in _CLASSES if high > low]
    return [width for width in dict.fromkeys(widths) if width > 1 or not whole]


def _nice(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw))
    return next((power * step for step in (1.0, 2.0, 5.0) if raw <= power * step * 1.0000001), power * 10)


def _rare_values(codes: Ints, levels: int) -> Ints:
    counts = np.bincount(codes[codes >= 0], minlength=levels)
    return np.flatnonzero((counts > 0) & (counts < _RARE * len(codes)))
