"""Records whose cells are numbers, ranges or sets, and how far apart two of them are: what is contained is at 0."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, Words
from microveil.core.compiling import compiled

# Distances that differ by less are equal up to rounding: they tie, whatever the order of the rows.
RELATIVE = 1e-9
ABSOLUTE = 1e-22


class Cells(NamedTuple):
    """Records whose cells are ranges of numbers, from `low` to `high`, or sets.

    Column j is a set if starts[j] < starts[j + 1]: those words of `sets` have a bit for each value in it. `handicap` is
    added to every distance to a record (or from it). With a column in `gaps` its words have a bit for each column that
    the record lacks: ties with a partner are then found by distances over the columns that both have, scaled up to all
    of them (Gower 1971).
    """

    low: Floats
    high: Floats
    sets: Words
    starts: Ints
    handicap: Floats
    gaps: Words

    def rows(self, chosen: Ints) -> Cells:
        """Some of the records."""
        low = self.low[chosen]
        high = low if self.high is self.low else self.high[chosen]
        return Cells(low, high, self.sets[chosen], self.starts, self.handicap[chosen], self.gaps[chosen])


def numbers(X: Floats) -> Cells:
    """Records of plain numbers."""
    low = np.ascontiguousarray(X, dtype=np.float64)
    starts = np.zeros(low.shape[1] + 1, dtype=np.int64)
    nothing = np.zeros((len(low), 0), dtype=np.uint64)
    return Cells(low, low, nothing, starts, np.zeros(len(low)), nothing)


@compiled
def part_of_distance(d: float, steps: Floats, manhattan: bool) -> float:
    """What a difference d >= 0 in one column adds to the distance."""
    last = len(steps) - 1
    if steps[last] > 0.0:
        return float(steps[min(int(d), last)])
    return d if manhattan else d * d


@compiled
def difference(a: Cells, q: int, b: Cells, r: int, j: int) -> float:
    """How far apart two cells of column j are: 0 where one contains the other, or they overlap."""
    start, stop = a.starts[j], a.starts[j + 1]
    if start == stop:
        return float(max(0.0, max(b.low[r, j] - a.high[q, j], a.low[q, j] - b.high[r, j])))
    for w in range(start, stop):
        if a.sets[q, w] & b.sets[r, w]:
            return 0.0
    return 1.0


@compiled
def distance(a: Cells, q: int, b: Cells, r: int, steps: Floats, manhattan: bool) -> float:
    """The distance of a query from a record; no record of a node is nearer than the node."""
    total: float = b.handicap[r]
    for j in range(a.low.shape[1]):
        total += part_of_distance(difference(a, q, b, r, j), steps[j], manhattan)
    return total


@compiled
def all_distances(queries: Cells, points: Cells, steps: Floats, manhattan: bool) -> Floats:
    """The distance (squared unless Manhattan) of every query from every point."""
    out = np.empty((queries.low.shape[0], points.low.shape[0]))
    for q in range(out.shape[0]):
        for r in range(out.shape[1]):
            out[q, r] = distance(queries, q, points, r, steps, manhattan)
    return out


def nominal_steps(nominal: Bools) -> Floats:
    """The steps of columns that are nominal (equal or not) or numbers."""
    return np.column_stack([np.zeros(len(nominal)), nominal.astype(np.float64)])
