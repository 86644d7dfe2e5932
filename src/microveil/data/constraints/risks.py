"""Limits on the risks of all released records together: who knows the keys picks the right one of a class."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.data.class_counts import ClassCounts
from microveil.data.constraints.base import FileLimit


@dataclass(frozen=True)
class AverageRisk(FileLimit):
    """At most this many classes for each record, the mean of one over the size of a record's class.

    Joined classes are fewer for the same records. Records left out may bring it up or down.
    """

    most: float

    def holds(self, counts: ClassCounts) -> bool:
        """Whether the mean is low enough."""
        return bool(len(counts.sizes) <= self.most * counts.sizes.sum() * (1 + 1e-12))


@dataclass(frozen=True)
class ShareAtRisk(FileLimit):
    """At most this share of the records in classes with fewer than `size` records; joining takes classes out of it."""

    most: float
    size: int

    def holds(self, counts: ClassCounts) -> bool:
        """Whether few enough records are in small classes."""
        small = counts.sizes[counts.sizes < self.size].sum()
        return bool(small <= self.most * counts.sizes.sum() * (1 + 1e-12))
