"""Groups from the minimum spanning tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.streams import Streams
from microveil.partition.base import Partition


@dataclass(frozen=True, kw_only=True)
class MST(Partition, name="mst"):
    """Cut the longest edges of the minimum spanning tree as long as at least k records hang together.

    Use it where natural clusters of k records and more are to stay together. What is left with 2k records or more is
    split into groups of k around its most distant pair (`diameter`) or the record farthest from its centroid
    (`centroid`); with `none` groups have no upper size.

    >>> MST(k=2).labels([[0.0], [0.1], [0.2], [9.0], [9.1]]).tolist()
    [0, 0, 0, 1, 1]
    """

    refinement: Annotated[Literal["diameter", "centroid", "none"], "how groups of 2k records and more are split"] = (
        "diameter"
    )

    reference = "Laszlo & Mukherjee 2005"

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        from microveil.kernels.grouping.branches import CENTROID, DIAMETER, NONE, mst_groups

        refinement = {"none": NONE, "diameter": DIAMETER, "centroid": CENTROID}[self.refinement]
        return np.asarray(mst_groups(X, self.k, refinement), dtype=np.int64)
