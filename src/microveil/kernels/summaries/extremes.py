"""The smallest and the largest value of each column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints


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
        # + 0.0: which of two zeros of unlike sign is found depends on the order
        low = np.fmin.reduce(X, axis=0, initial=np.inf) + 0.0
        high = np.fmax.reduce(X, axis=0, initial=-np.inf) + 0.0
        return cls(low, high, len(X), np.count_nonzero(np.isnan(X), axis=0))

    def merge(self, other: Extremes) -> Extremes:
        """The extremes of the records of both."""
        return Extremes(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.records + other.records,
            self.missing + other.missing,
        )
