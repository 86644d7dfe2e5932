"""t-closeness: a sensitive column is distributed in a class nearly as in the file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.data.class_counts import ClassCounts
from microveil.data.constraints.base import ClassConstraint, shares_of
from microveil.data.sensitive import SensitiveValues
from microveil.kernels.tables.classes import ValueCounts
from microveil.kernels.tables.closeness import distance_of_counts, distance_of_counts_in_tree


@dataclass(frozen=True)
class Closeness(ClassConstraint):
    """At most t from given shares: the distance is convex, so a union is no farther than the farther of two classes.

    It is not hereditary: two halves that are near may be joined with one that is far.
    """

    place: int
    t: float
    column: SensitiveValues
    shares: Floats

    def broken(self, counts: ClassCounts) -> Bools:
        """Which classes are too far."""
        found = counts.sensitive[self.place]
        if self.column.how == "hierarchy":
            away = distance_of_counts_in_tree(found, counts.sizes, self.shares, self.column.tree)
        else:
            # values that occur in no record are no steps between ordered ones
            present = self.shares > 0
            number = np.cumsum(present) - 1
            known = ValueCounts(found.classes, number[found.values], found.counts)
            away = distance_of_counts(known, counts.sizes, self.shares[present], self.column.how == "ordered")
        return np.asarray(away > self.t + 1e-12)

    def among(self, counts: ClassCounts) -> Closeness:
        """As near to what these classes show together."""
        return replace(self, shares=shares_of(counts.sensitive[self.place], len(self.shares)))
