"""Sums over the records of a file that miss nothing in some columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats
from microveil.kernels.fixed.sums import ExactMoments, Grid
from microveil.kernels.summaries.extremes import Extremes


@dataclass(frozen=True)
class CompleteSums:
    """How many records there are, and exact sums and ends of those without a gap."""

    records: int
    moments: ExactMoments
    low: Floats
    high: Floats

    @classmethod
    def of(cls, X: Floats, ends: Extremes) -> CompleteSums:
        """The sums of some records of a file; `ends` are those of its complete ones."""
        grid = Grid.between(*usable_ends(ends))
        whole = complete_rows(X)
        return cls(len(X), ExactMoments.of(whole, grid), ends.low, ends.high)

    def merge(self, other: CompleteSums) -> CompleteSums:
        """The sums over the records of both."""
        return CompleteSums(self.records + other.records, self.moments.merge(other.moments), self.low, self.high)

    @property
    def complete(self) -> int:
        """How many records have no gap."""
        return self.moments.records


def complete_rows(X: Floats) -> Floats:
    """The rows without a gap."""
    gaps = np.isnan(X).any(axis=1)
    return X[~gaps] if gaps.any() else X


def usable_ends(ends: Extremes) -> tuple[Floats, Floats]:
    """Ends of columns; of those without any value 0."""
    present = np.isfinite(ends.low)
    return np.where(present, ends.low, 0.0), np.where(present, ends.high, 0.0)
