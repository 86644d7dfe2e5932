"""beta-likeness: no sensitive value is much more frequent in a class than in the file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.data.class_counts import ClassCounts
from microveil.data.constraints.base import ClassConstraint, shares_of


@dataclass(frozen=True)
class Likeness(ClassConstraint):
    """Shares of at most (1 + beta) times those given (Cao & Karras 2012, basic).

    The share in a union lies between those of its classes, so it is no larger than the larger one. It is not
    hereditary: a value that is too frequent in a class may be so in one of its halves only.
    """

    place: int
    beta: float
    shares: Floats

    def broken(self, counts: ClassCounts) -> Bools:
        """Which classes show a value too often."""
        found = counts.sensitive[self.place]
        gain = found.counts / counts.sizes[found.classes] - (1 + self.beta) * self.shares[found.values]
        bad = np.zeros(len(counts.sizes), dtype=np.bool_)
        bad[found.classes[gain > 1e-12]] = True
        return bad

    def among(self, counts: ClassCounts) -> Likeness:
        """As frequent as in these classes together."""
        return replace(self, shares=shares_of(counts.sensitive[self.place], len(self.shares)))
