"""Pairing the points of one set with points of another: the nearest, the nearest that is free, or the best overall."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.ordering import stable_order
from microveil.core.threads import on_all_cores
from microveil.kernels.search.box_tree import FAN, LEAF, Tree, fits_index, plant, remove
from microveil.kernels.search.leaves import split_rows
from microveil.kernels.search.nearest import find_nearest

MOST_ASSIGNED = 5_000  # points of a set: the matrix of distances and the cubic cost stay bearable
_NAMED = 4  # free rows a waiting row names in a round
_SHARE = 1 << 14  # searches that one core makes after one another
_LEVELS = 16  # of the tree: enough for any file that fits into memory


def pair_nearest(A: Floats, B: Floats) -> Ints:
    """The row of B nearest to each row of A, the lowest where several are equally near; rows of B may come twice."""
    return np.asarray(_one_by_one(_joined(A, B), len(B), len(A)), dtype=np.int64)


def pair_greedy(A: Floats, B: Floats) -> Ints:
    """A row of B for each row of A, no row twice: near pairs first.

    In rounds, every row of A without a partner names the nearest free rows of B, and of all pairs named the shortest
    are taken first. When a round serves less than a quarter (many rows of A crowd where B has few), the others choose
    one by one, those far from the centre of A first. The order of the rows does not matter, but for ties; the number
    of searches is at most proportional to that of the rows.
    """
    _refuse_fewer(A, B, "greedy")
    apart = ((A - A.mean(axis=0)) ** 2).sum(axis=1)
    return np.asarray(_in_rounds(_joined(A, B), len(B), apart), dtype=np.int64)


def pair_assignment(A: Floats, B: Floats) -> Ints:
    """A row of B for each row of A, no row twice, at the least sum of squared distances (Hungarian method)."""
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    _refuse_fewer(A, B, "assignment")
    if len(B) > MOST_ASSIGNED:
        raise BadInput(
            f"assignment pairing takes at most {MOST_ASSIGNED} records: {len(B)} given; use pairing='greedy'"
        )
    return np.asarray(linear_sum_assignment(cdist(A, B, "sqeuclidean"))[1], dtype=np.int64)


def _refuse_fewer(A: Floats, B: Floats, pairing: str) -> None:
    if len(B) < len(A):
        raise NotEnoughRecords(
            f"{pairing} pairing needs a partner for each of {len(A)} records: {len(B)} given; use pairing='nearest'"
        )


def _joined(A: Floats, B: Floats) -> Floats:
    """B above A: the tree measures its rounding errors by the largest number of both."""
    joined = np.ascontiguousarray(np.vstack([B, A]), dtype=np.float64)
    if not fits_index(joined):
        raise BadInput("pairing needs finite numbers within 1e15 standard deviations of the original's means")
    return joined


def _one_by_one(joined: Floats, partners: int, count: int) -> Ints:
    """For each row after the first `partners` the nearest of those."""
    tree, points = plant(joined, np.arange(partners)), joined[partners:]
    near, _ = _nearest(tree, points, np.arange(count), _turns(points), 1)
    return near[:, 0]


def _in_rounds(joined: Floats, partners: int, apart: Floats) -> Ints:
    """For each row after the first `partners` one of those, no one twice; in the end rows far apart go first."""
    tree, points = plant(joined, np.arange(partners)), joined[partners:]
    turns = _turns(points)
    found = np.full(points.shape[0], -1)
    waiting = np.arange(points.shape[0])
    free, served = partners, points.shape[0]
    while waiting.shape[0] > 0 and 4 * served >= waiting.shape[0]:
        near, cost = _nearest(tree, points, waiting, turns, min(_NAMED, free))
        served = _take_shortest(tree, near, stable_order(cost.reshape(-1)), waiting, found)
        free -= served
        waiting = waiting[found[waiting] < 0]
    _take_in_turn(tree, points, waiting[stable_order(-apart[waiting])], found)
    return found


@compiled
def _turns(points: Floats) -> Ints:
    """The turn of each point when neighbours are visited after one another: they look at the same leaves."""
    order = np.arange(points.shape[0])
    split_rows(points, order, (points.shape[0] + LEAF - 1) // LEAF, FAN)
    turns = np.empty_like(order)
    turns[order] = np.arange(points.shape[0])
    return turns


def _nearest(tree: Tree, points: Floats, rows: Ints, turns: Ints, size: int) -> tuple[Ints, Floats]:
    """The nearest rows left in the tree to some points, by (distance, row), and the squared distances."""
    near, cost = np.empty((rows.shape[0], size), dtype=np.int64), np.empty((rows.shape[0], size))
    order = stable_order(turns[rows])
    shares = np.array_split(order, max(1, -(-len(order) // _SHARE)))
    on_all_cores(lambda share: _search(tree, points, rows, share, near, cost), shares, len(rows))
    return near, cost


@compiled
def _search(tree: Tree, points: Floats, rows: Ints, share: Ints, near: Ints, cost: Floats) -> None:
    """The nearest rows to a share of the points; nobody leaves the tree meanwhile."""
    bounds, nodes = np.empty((_LEVELS, FAN)), np.empty(_LEVELS, dtype=np.int64)
    distances = np.empty(LEAF, dtype=np.float32)
    for i in share:
        find_nearest(tree, points[rows[i]], near.shape[1], cost[i], near[i], bounds, nodes, distances)


@compiled
def _take_in_turn(tree: Tree, points: Floats, waiting: Ints, found: Ints) -> None:
    """Give each waiting row the nearest that is free, one after the other."""
    bounds, nodes = np.empty((_LEVELS, FAN)), np.empty(_LEVELS, dtype=np.int64)
    distances, near, cost = np.empty(LEAF, dtype=np.float32), np.empty(1, dtype=np.int64), np.empty(1)
    for row in waiting:
        find_nearest(tree, points[row], 1, cost, near, bounds, nodes, distances)
        found[row] = near[0]
        remove(tree, near[0])


@compiled
def _take_shortest(tree: Tree, near: Ints, pairs: Ints, waiting: Ints, found: Ints) -> int:
    """Give the waiting rows partners, shortest pairs first; how many were served."""
    size, served = near.shape[1], 0
    taken = np.zeros(tree.data.shape[0], dtype=np.bool_)
    for pair in pairs:
        i, partner = waiting[pair // size], near[pair // size, pair % size]
        if found[i] < 0 and not taken[partner]:
            found[i] = partner
            taken[partner] = True
            remove(tree, partner)
            served += 1
    return served
