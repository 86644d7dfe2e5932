"""Groups around random records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.streams import Streams
from microveil.partition.base import Partition


@dataclass(frozen=True, kw_only=True)
class Condensation(Partition, name="condensation"):
    """Group a record drawn at random with its k - 1 nearest, again and again.

    Use it where groups must not follow from the data alone, as in the condensation approach. The fewer than k records
    left over join the group with the nearest centroid. Ties go by the random order too.

    >>> sorted(set(Condensation(k=2).labels([[0.0], [0.1], [9.0], [9.1]], seed=1).tolist()))
    [0, 1]
    """

    random: ClassVar[bool] = True
    reference = "Aggarwal & Yu 2004"

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        from microveil.kernels.grouping.variable import condensation

        order = streams.generator().permutation(len(X))
        labels = np.empty(len(X), dtype=np.int64)
        labels[order] = condensation(X[order], self.k)
        return labels
