"""Minimum-cost assignment of the records of one file to those of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from microveil.risk.comparing import OUT_OF_THE_QUESTION

if TYPE_CHECKING:
    from microveil.kernels.linkage.partners import Cells

Int = NDArray[np.int64]
Float = NDArray[np.float64]


def assign(
    A: Cells, B: Cells, steps: Float, manhattan: bool, dense_up_to: int, candidates: int
) -> tuple[Int, Int, Float]:
    """Pairs (row of A, row of B), each row at most once, of least total distance, and their distances.

    Exact, with every row of the smaller file assigned, while the larger file has at most `dense_up_to`
    rows. Beyond, each row may only go to one of its `candidates` nearest, or stay without a partner.
    """
    if len(A.low) > len(B.low):
        columns, rows, distances = assign(B, A, steps, manhattan, dense_up_to, candidates)
        return rows, columns, distances
    if len(B.low) <= dense_up_to:
        return _assign_all(A, B, steps, manhattan)
    return _assign_nearest(A, B, steps, manhattan, candidates)


def _assign_all(A: Cells, B: Cells, steps: Float, manhattan: bool) -> tuple[Int, Int, Float]:
    from scipy.optimize import linear_sum_assignment

    from microveil.kernels.linkage.partners import all_distances

    cost = _rooted(all_distances(A, B, steps, manhattan) + A.handicap[:, None], manhattan)
    rows, columns = linear_sum_assignment(cost)
    return rows, columns, cost[rows, columns]


def _assign_nearest(A: Cells, B: Cells, steps: Float, manhattan: bool, candidates: int) -> tuple[Int, Int, Float]:
    from microveil.kernels.assignment.candidates import assign_candidates
    from microveil.kernels.linkage.partners import nearest_cells

    near, squared = nearest_cells(A, B, min(candidates, len(B.low)), steps, manhattan)
    cost = _rooted(squared + A.handicap[:, None], manhattan)
    chosen = assign_candidates(near, _within_reach(cost, manhattan), len(B.low))
    rows = np.flatnonzero(chosen >= 0)
    where = np.argmax(near[rows] == chosen[rows][:, None], axis=1)
    return rows, chosen[rows], cost[rows, where]


def _within_reach(cost: Float, manhattan: bool) -> Float:
    """Costs in which candidates out of the question are only five times as far as the farthest other one.

    Prices rise in small steps: nobody should have to outbid what no one wants.
    """
    out = cost >= _rooted(np.array(OUT_OF_THE_QUESTION), manhattan)
    farthest = np.where(out, 0.0, cost).max(axis=1, keepdims=True)
    nobody = out.all(axis=1, keepdims=True)
    return np.where(nobody, cost - cost[:, :1], np.where(out, 5.0 * farthest, cost))


def _rooted(distances: Float, manhattan: bool) -> Float:
    return distances if manhattan else np.sqrt(distances)
