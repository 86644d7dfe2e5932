"""The nearest records by looking at all of them: where the first columns exclude most, that is faster than a tree."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import insert_nearest
from microveil.kernels.linkage.partners import Cells, difference, in_blocks, part_of_distance


def scan_nearest(queries: Cells, points: Cells, size: int, steps: Floats) -> tuple[Ints, Floats]:
    """The `size` nearest points of each query by rising squared distance, the lowest row first.

    A point is left at the first column that makes it too far, so that columns that exclude many should stand first.
    """
    near = np.empty((len(queries.low), size), dtype=np.int64)
    cost = np.full((len(queries.low), size), np.inf)

    def search(chosen: Ints) -> None:
        _scan(queries, points, chosen, steps, near, cost)

    in_blocks(search, np.arange(len(queries.low)))
    return near, cost


@compiled
def _scan(queries: Cells, points: Cells, chosen: Ints, steps: Floats, near: Ints, cost: Floats) -> None:
    width, size = queries.low.shape[1], near.shape[1]
    for q in chosen:
        for r in range(points.low.shape[0]):
            total, j = points.handicap[r], 0
            while j < width and total <= cost[q, size - 1]:
                total += part_of_distance(difference(queries, q, points, r, j), steps[j], False)
                j += 1
            if j == width:
                insert_nearest(cost[q], near[q], size, total, r)
