"""The smallest and the largest value of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled


@dataclass(frozen=True)
class Extremes:
    """Smallest and largest values of columns; gaps are left out and counted. Of no value: inf and -inf."""

    low: Floats
    high: Floats
    records: int
    missing: Ints

    @classmethod
    def of(cls, X: Floats) -> Extremes:
        """The extremes of the columns of X, NaN where missing."""
        low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
        missing = np.zeros(X.shape[1], dtype=np.int64)
        _widen(np.asarray(X, dtype=np.float64), low, high, missing)
        # + 0.0: which of two zeros of unlike sign is found depends on the order
        return cls(low + 0.0, high + 0.0, len(X), missing)

    def by_columns(self, names: Sequence[str]) -> dict[str, Extremes]:
        """The extremes of each column by itself, by these names."""
        return {
            name: Extremes(self.low[j : j + 1], self.high[j : j + 1], self.records, self.missing[j : j + 1])
            for j, name in enumerate(names)
        }

    def merge(self, other: Extremes) -> Extremes:
        """The extremes of the records of both."""
        return Extremes(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.records + other.records,
            self.missing + other.missing,
        )


@compiled
def _widen(X: Floats, low: Floats, high: Floats, missing: Ints) -> None:
    """Widen the ends of the columns to these records, and count gaps: in one look, where NumPy needs three."""
    n, p = X.shape
    for i in range(n):
        for j in range(p):
            x = X[i, j]
            low[j] = min(low[j], x)
            high[j] = max(high[j], x)
            missing[j] += x != x
