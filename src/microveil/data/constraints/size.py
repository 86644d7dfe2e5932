"""k-anonymity: enough records in a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.arrays import Bools
from microveil.data.class_counts import ClassCounts
from microveil.data.constraints.base import ClassConstraint


@dataclass(frozen=True)
class Size(ClassConstraint):
    """At least k records: a union has more, and a part of a class that is too small is smaller still."""

    k: int
    hereditary: ClassVar[bool] = True

    def broken(self, counts: ClassCounts) -> Bools:
        """Which classes are too small."""
        return counts.sizes < self.k
