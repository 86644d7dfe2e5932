"""The best cut of a file along a path through its records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.streams import Streams
from microveil.partition.base import Partition


@dataclass(frozen=True, kw_only=True)
class MHM(Partition, name="mhm"):
    """Order the records along a path and cut it where the loss is least, into groups of k to 2k - 1.

    Use it to let group sizes follow the data: with the paths of fixed-size heuristics (`mdav`, `md` maximum distance,
    `cbfs` centroid-based) it never loses more than the heuristic; `npn` (nearest point next) is good on clustered
    data.

    >>> MHM(k=2, path="npn").labels([[0.0], [0.1], [0.2], [9.0], [9.1]]).tolist()
    [1, 1, 1, 0, 0]
    """

    path: Annotated[Literal["mdav", "npn", "md", "cbfs"], "the order of the records"] = "mdav"

    reference = "Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz & Sebe 2006; Hansen & Mukherjee 2003"

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        from microveil.kernels.grouping.cuts import optimal_cuts

        order = self._order(X)
        labels = np.empty(len(X), dtype=np.int64)
        labels[order] = optimal_cuts(X[order], self.k, np.ones(len(X), dtype=np.bool_))
        return labels

    def _order(self, X: Matrix) -> Labels:
        from microveil.kernels.grouping import orders
        from microveil.kernels.mdav.engine import mdav

        if self.path == "npn":
            return np.asarray(orders.nearest_point_next(X))
        if self.path == "md":
            return np.asarray(orders.maximum_distance(X, self.k))
        if self.path == "cbfs":
            return np.asarray(orders.centroid_based(X, self.k))
        return np.asarray(orders.mdav_order(X, self.k, mdav(X, self.k)))
