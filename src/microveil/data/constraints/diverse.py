"""l-diversity: enough values of a sensitive column in a class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.claims.models import Diversity
from microveil.core.arrays import Bools
from microveil.data.class_counts import ClassCounts
from microveil.data.constraints.base import ClassConstraint
from microveil.kernels.tables.diversity import diversity_of_counts


@dataclass(frozen=True)
class Diverse(ClassConstraint):
    """At least l values, counted in one of three ways; joining classes lowers none of them.

    A part of a class has no value that the class lacks: too few distinct values are too few in every part. That is not
    so for the other two: one value may be too frequent in a class and not in a part of it.
    """

    place: int
    l: float  # noqa: E741 - the literature's letter
    kind: Diversity = "distinct"
    c: float = 2.0

    @property
    def hereditary(self) -> bool:  # type: ignore[override]
        """Whether a class that breaks it breaks it in any part."""
        return self.kind == "distinct"

    def broken(self, counts: ClassCounts) -> Bools:
        """Which classes show too few values."""
        found = diversity_of_counts(counts.sensitive[self.place], counts.sizes, self.kind, self.c)
        return np.asarray(found < self.l * (1 - 1e-12))
