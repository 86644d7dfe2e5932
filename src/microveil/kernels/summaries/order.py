"""The order of a column: its values with how often each occurs. Ranks and quantiles follow exactly, not by a sketch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.ordering import sorted_floats


@dataclass(frozen=True)
class Order:
    """The different values of a column in rising order with their counts; gaps are left out and counted."""

    values: Floats
    counts: Ints
    missing: int

    @classmethod
    def of(cls, x: Floats) -> Order:
        """The order of a column, NaN where missing."""
        observed = x[~np.isnan(x)]
        # + 0.0: which of two zeros of unlike sign stands for both depends on the order
        rising = sorted_floats(observed + 0.0)
        first = np.flatnonzero(np.append(True, rising[1:] != rising[:-1])[: len(rising)])
        return cls(rising[first], np.diff(first, append=len(rising)), len(x) - len(observed))

    def merge(self, other: Order) -> Order:
        """The order of the records of both."""
        values, counts = _merged(self.values, self.counts, other.values, other.counts)
        return Order(values, counts, self.missing + other.missing)

    @property
    def observed(self) -> int:
        """How many values there are."""
        return int(self.counts.sum())

    def sorted(self) -> Floats:
        """All values in rising order, as often as they occur."""
        return np.repeat(self.values, self.counts)

    def at(self, ranks: Ints) -> Floats:
        """The values at these places of the rising order, which begins at 0: exact quantiles."""
        return self.values[np.searchsorted(np.cumsum(self.counts), ranks, "right")]


@compiled
def _merged(values: Floats, counts: Ints, others: Floats, other_counts: Ints) -> tuple[Floats, Ints]:
    """Two rising runs as one, in one pass; equal values are counted together."""
    merged, totals = np.empty(len(values) + len(others), np.float64), np.empty(len(values) + len(others), np.int64)
    i = j = n = 0
    while i < len(values) or j < len(others):
        if j == len(others) or (i < len(values) and values[i] <= others[j]):
            merged[n], totals[n] = values[i], counts[i]
            if j < len(others) and others[j] == values[i]:
                totals[n] += other_counts[j]
                j += 1
            i += 1
        else:
            merged[n], totals[n] = others[j], other_counts[j]
            j += 1
        n += 1
    return merged[:n].copy(), totals[:n].copy()
