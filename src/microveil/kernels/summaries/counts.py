"""How often each category of a column occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints


@dataclass(frozen=True)
class Counts:
    """The number of records with each code from 0, and of those where it is missing."""

    counts: Ints
    missing: int

    @classmethod
    def of(cls, codes: Ints, levels: int) -> Counts:
        """The counts of so many levels; negative codes are missing."""
        observed = codes[codes >= 0]
        return cls(np.bincount(observed, minlength=levels), len(codes) - len(observed))

    def merge(self, other: Counts) -> Counts:
        """The counts of the records of both, which have the same levels."""
        return Counts(self.counts + other.counts, self.missing + other.missing)
