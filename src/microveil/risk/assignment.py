"""Minimum-cost assignment of the records of one file to those of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Float = NDArray[np.float64]


def assign(A: Float, B: Float, manhattan: bool, dense_up_to: int, candidates: int) -> tuple[Int, Int, Float]:
    """Pairs (row of A, row of B), each row at most once, of least total distance, and their distances.

    Exact, with every row of the smaller file assigned, while the larger file has at most `dense_up_to`
    rows. Beyond, each row may only go to one of its `candidates` nearest, or stay without a partner.
    """
    if len(A) > len(B):
        columns, rows, distances = assign(B, A, manhattan, dense_up_to, candidates)
        return rows, columns, distances
    return _assign_all(A, B, manhattan) if len(B) <= dense_up_to else _assign_nearest(A, B, manhattan, candidates)


def _assign_all(A: Float, B: Float, manhattan: bool) -> tuple[Int, Int, Float]:
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    cost = cdist(A, B, "cityblock" if manhattan else "euclidean")
    rows, columns = linear_sum_assignment(cost)
    return rows, columns, cost[rows, columns]


def _assign_nearest(A: Float, B: Float, manhattan: bool, candidates: int) -> tuple[Int, Int, Float]:
    from scipy.spatial import cKDTree

    from microveil.kernels.linkage_assignment import assign_candidates

    cost, near = cKDTree(B).query(A, range(1, min(candidates, len(B)) + 1), p=1 if manhattan else 2, workers=-1)
    chosen = assign_candidates(near, cost, len(B))
    rows = np.flatnonzero(chosen >= 0)
    where = np.argmax(near[rows] == chosen[rows][:, None], axis=1)
    return rows, chosen[rows], cost[rows, where]
