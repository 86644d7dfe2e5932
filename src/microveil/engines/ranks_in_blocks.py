"""Places in the order of a column of a file in blocks: values at ranks, and ranks of values, in little memory.

A random part of the values cuts the column into stretches, all values are counted into these, and only the stretches
that hold a rank that is asked for are looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from microveil.core.arrays import Floats, Ints, Matrix
from microveil.core.streams import Key, Streams
from microveil.kernels.summaries.order import Order
from microveil.kernels.summaries.together import Together

CUTS = 1 << 15  # values that cut a column, about

Look = Callable[[int, Matrix], Any]  # where the first of some records stands, and their amounts
Ask = Callable[[Look], Any]


@dataclass(frozen=True)
class Stretches:
    """Values that cut a column, and how many of all values lie between and at them, by turns."""

    cuts: Floats
    counts: Ints

    @property
    def observed(self) -> int:
        """How many values there are."""
        return int(self.counts.sum())

    @property
    def ends(self) -> Ints:
        """How many values lie in all stretches up to each."""
        return np.cumsum(self.counts)

    def of_ranks(self, ranks: Ints) -> Ints:
        """The stretch that holds each place of the rising order, which begins at 0."""
        return np.searchsorted(self.ends, ranks, "right")

    def middle_ranks(self, x: Floats) -> Floats:
        """Where values stand among all; between two cuts as if values were spread evenly there, ties share a rank.

        Of a column with no more different values than cuts it is exact.
        """
        ends = np.concatenate([[0], self.ends]).astype(np.float64)
        place = places(self.cuts, x)
        low, high = ends[place], ends[place + 1]
        inside = np.full(len(x), 0.5)
        open_ones = (place % 2 == 0) & (place > 0) & (place < 2 * len(self.cuts))
        gap = place[open_ones] // 2
        left, right = self.cuts[gap - 1], self.cuts[gap]
        inside[open_ones] = (x[open_ones] - left) / (right - left)
        return np.asarray(low + inside * (high - low), dtype=np.float64)


def places(cuts: Floats, x: Floats) -> Ints:
    """The stretch of each value: 2 i + 1 at the i-th cut, 2 i below it and above the last one before."""
    return np.searchsorted(cuts, x, "left") + np.searchsorted(cuts, x, "right")


def find_stretches(ask: Ask, columns: int, records: int) -> list[Stretches]:
    """The stretches of all columns, in two passes; `ask` gathers what is said of blocks."""
    some = ask(lambda first, X: _Sampled.of(first, X, records)).rows
    cuts = [np.unique(some[~np.isnan(some[:, j]), j] + 0.0) for j in range(columns)]
    found: Mapping[int, _Counts] = ask(
        lambda _, X: Together({j: _Counts.of(cuts[j], X[:, j]) for j in range(columns)})
    ).parts
    return [Stretches(cuts[j], found[j].counts) for j in range(columns)]


def values_at(ask: Ask, stretches: Sequence[Stretches], ranks: Ints) -> list[Floats]:
    """The values at these places of the rising order of each column, which begins at 0; one pass at most."""
    wanted = [np.unique(one.of_ranks(ranks)) for one in stretches]
    unsettled = {j: own[own % 2 == 0] for j, own in enumerate(wanted) if (own % 2 == 0).any()}
    orders: Mapping[tuple[int, int], Order] = {}
    if unsettled:
        orders = ask(
            lambda _, X: Together(
                {
                    (j, stretch): Order.of(values)
                    for j, own in unsettled.items()
                    for stretch, values in _inside(stretches[j].cuts, X[:, j], own)
                }
            )
        ).parts
    found = []
    for j, one in enumerate(stretches):
        values = np.empty(len(ranks))
        before = np.concatenate([[0], one.ends])
        for number, (rank, stretch) in enumerate(zip(ranks.tolist(), one.of_ranks(ranks).tolist(), strict=True)):
            if stretch % 2:
                values[number] = one.cuts[stretch // 2]
            else:
                values[number] = orders[j, stretch].at(np.array([rank - before[stretch]])).item()
        found.append(values)
    return found


def _inside(cuts: Floats, x: Floats, wanted: Ints) -> list[tuple[int, Floats]]:
    observed = x[~np.isnan(x)]
    own = places(cuts, observed)
    return [(int(stretch), observed[own == stretch]) for stretch in wanted]


@dataclass(frozen=True)
class _Sampled:
    """Some records, each drawn by where it stands."""

    rows: Matrix

    @classmethod
    def of(cls, first: int, X: Matrix, records: int) -> _Sampled:
        if records <= CUTS:
            return cls(X)
        draws = Streams(Key.of("cuts of a column"), first=first).uniforms(0, len(X))[:, 0]
        return cls(X[draws * records <= CUTS])

    def merge(self, other: _Sampled) -> _Sampled:
        return _Sampled(np.concatenate([self.rows, other.rows]))


@dataclass(frozen=True)
class _Counts:
    counts: Ints

    @classmethod
    def of(cls, cuts: Floats, x: Floats) -> _Counts:
        return cls(np.bincount(places(cuts, x[~np.isnan(x)]), minlength=2 * len(cuts) + 1))

    def merge(self, other: _Counts) -> _Counts:
        return _Counts(self.counts + other.counts)
