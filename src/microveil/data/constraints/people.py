"""k-map by weights: a class stands for enough people in the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.core.arrays import Bools
from microveil.data.class_counts import ClassCounts
from microveil.data.constraints.base import ClassConstraint


@dataclass(frozen=True)
class People(ClassConstraint):
    """A least sum of weights: all are positive, so a union has more and a part less."""

    least: float
    hereditary: ClassVar[bool] = True

    def broken(self, counts: ClassCounts) -> Bools:
        """Which classes stand for too few people."""
        weights = counts.sizes if counts.weights is None else counts.weights
        return np.asarray(weights < self.least * (1 - 1e-12))
