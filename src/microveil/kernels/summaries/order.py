"""The order of a column: its values with how often each occurs. Ranks and quantiles follow exactly, not by a sketch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints


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
        values, counts = np.unique(observed + 0.0, return_counts=True)
        return cls(values, counts, len(x) - len(observed))

    def merge(self, other: Order) -> Order:
        """The order of the records of both."""
        values = np.concatenate([self.values, other.values])
        # two runs that rise: a stable sort puts them together in one pass
        order = np.argsort(values, kind="stable")
        values, counts = values[order], np.concatenate([self.counts, other.counts])[order]
        first = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
        totals = np.add.reduceat(counts, first) if len(first) else counts
        return Order(values[first], totals, self.missing + other.missing)

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
