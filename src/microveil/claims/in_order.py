"""A column before and after, in the order of its values: what claims about columns too long for memory look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from microveil.core.arrays import Floats, Ints, Vector

STEP = 1 << 18  # values that are looked at together


class OrderedSide(Protocol):
    """The observed values of a column of one file from the least on."""

    @property
    def rows(self) -> int:
        """The number of records, with those that have a gap."""

    @property
    def count(self) -> int:
        """The number of observed values."""

    def values(self, start: int, stop: int) -> Vector:
        """The values from one rank to another."""

    def beside(self, start: int, stop: int) -> Vector:
        """What their records hold in the other file, NaN for nothing."""

    def intervals(self, asked: Vector) -> tuple[Ints, Ints]:
        """The least and the largest rank of some values, as `rank_intervals` tells them."""


@dataclass(frozen=True)
class ColumnInOrder:
    """One column: the original's values with the released ones beside them, and the other way round."""

    before: OrderedSide
    after: OrderedSide

    def scale(self) -> float:
        """As `Evidence.scale` has it, up to the last digits."""
        side = self.before
        if not side.count:
            return 1.0
        lowest, highest = float(side.values(0, 1)[0]), float(side.values(side.count - 1, side.count)[0])
        largest = max(abs(lowest), abs(highest))
        if highest - lowest <= 8 * float(np.finfo(np.float64).eps) * largest:
            return largest if largest > 0 else 1.0
        mean = sum(float((values - lowest).sum()) for values in values_of(side)) / side.count + lowest
        squares = sum(float(((values - mean) ** 2).sum()) for values in values_of(side)) / side.count
        return float(np.sqrt(squares)) or highest - lowest

    def pairs_by_original(self) -> Iterator[tuple[Vector, Vector]]:
        """Original and released values, from the least original on, where both are observed."""
        return _pairs(self.before)

    def pairs_by_released(self) -> Iterator[tuple[Vector, Vector]]:
        """Released and original values, from the least released on, where both are observed."""
        return _pairs(self.after)


def _pairs(side: OrderedSide) -> Iterator[tuple[Vector, Vector]]:
    for start in range(0, side.count, STEP):
        stop = min(start + STEP, side.count)
        beside = side.beside(start, stop)
        both = ~np.isnan(beside)
        yield side.values(start, stop)[both], beside[both]


def values_of(side: OrderedSide) -> Iterator[Vector]:
    """All values in turn."""
    return (side.values(start, min(start + STEP, side.count)) for start in range(0, side.count, STEP))


def run_lengths(side: OrderedSide) -> Iterator[Ints]:
    """How often each of the different values occurs, from the least on, some at a time."""
    held, length = np.nan, 0
    for values in values_of(side):
        lengths = np.diff(np.flatnonzero(np.append(True, values[1:] != values[:-1])), append=len(values))
        if values[0] == held:
            lengths[0] += length
        elif length:
            yield np.array([length])
        yield lengths[:-1]
        held, length = float(values[-1]), int(lengths[-1])
    if length:
        yield np.array([length])


def count_different(one: OrderedSide, other: OrderedSide) -> int:
    """How many values are not the other's of the same rank; gaps stand last, and are equal."""
    both = min(one.count, other.count)
    found = abs(one.count - other.count)
    for start in range(0, both, STEP):
        stop = min(start + STEP, both)
        found += int(np.count_nonzero(one.values(start, stop) != other.values(start, stop)))
    return found


def largest_fall(column: ColumnInOrder) -> float:
    """How far the released value of a record lies below that of one with a smaller original value."""
    worst, above = 0.0, -np.inf  # the largest released value of smaller originals
    last, high = np.nan, -np.inf  # the original value that was met last, and the largest released beside it
    for before, after in column.pairs_by_original():
        if not len(before):
            continue
        starts = np.flatnonzero(np.append(True, before[1:] != before[:-1]))
        lows: Floats = np.minimum.reduceat(after, starts)
        highs: Floats = np.maximum.reduceat(after, starts)
        if before[0] == last:
            highs[0] = max(highs[0], high)
        else:
            above = max(above, high)
        reached = np.maximum.accumulate(np.append(above, highs[:-1]))
        worst = max(worst, float(np.max(reached - lows)))
        last, high, above = float(before[-1]), float(highs[-1]), float(reached[-1])
    return worst


def largest_shift(column: ColumnInOrder) -> int:
    """By how many ranks of the original a value moved at most; tied values share their ranks."""
    worst = 0
    for after, before in column.pairs_by_released():
        new_first, new_last = column.before.intervals(after)
        first, last = column.before.intervals(before)
        worst = max(worst, int(np.max(np.maximum(new_first - last, first - new_last), initial=0)))
    return worst
