"""The nearest records among those that agree in columns of codes: where these exclude most, no tree is as fast."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import insert_nearest
from microveil.kernels.linkage.cells import Cells, difference, part_of_distance
from microveil.kernels.linkage.partners import in_blocks
from microveil.kernels.tables.classes import group_rows


def scan_nearest(queries: Cells, points: Cells, size: int, steps: Floats) -> tuple[Ints, Floats]:
    """The `size` nearest points of each query by rising squared distance, the lowest row first.

    Columns of codes stand first. Where some points agree in all of them, only these are looked at: places that are left
    have an infinite distance.
    """
    codes = int((steps[:, -1] > 0).sum())
    kinds, members = _kinds(points, codes)
    near = np.zeros((len(queries.low), size), dtype=np.int64)
    cost = np.full((len(queries.low), size), np.inf)

    def search(chosen: Ints) -> None:
        _scan(queries, points, kinds, members, codes, chosen, steps, near, cost)

    in_blocks(search, np.arange(len(queries.low)))
    return near, cost


def _kinds(points: Cells, codes: int) -> tuple[Ints, Ints]:
    """The points with those that are equal in the first columns side by side, and where each kind begins and ends."""
    columns = [*points.low[:, :codes].T, *points.high[:, :codes].T, *points.sets.T]
    distinct = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in columns]
    labels, counts = group_rows(np.column_stack(distinct))
    return np.concatenate([[0], np.cumsum(counts)]), np.argsort(labels, kind="stable")


@compiled
def _scan(
    queries: Cells,
    points: Cells,
    kinds: Ints,
    members: Ints,
    codes: int,
    chosen: Ints,
    steps: Floats,
    near: Ints,
    cost: Floats,
) -> None:
    for q in chosen:
        met = 0
        for kind in range(len(kinds) - 1):
            if _agrees(queries, q, points, members[kinds[kind]], codes):
                met += 1
                _look(queries, q, points, members[kinds[kind] : kinds[kind + 1]], steps, near[q], cost[q])
        if met == 0:
            _look(queries, q, points, members, steps, near[q], cost[q])


@compiled
def _agrees(queries: Cells, q: int, points: Cells, r: int, codes: int) -> bool:
    for j in range(codes):  # noqa: SIM110
        if difference(queries, q, points, r, j) > 0.0:
            return False
    return True


@compiled
def _look(queries: Cells, q: int, points: Cells, rows: Ints, steps: Floats, near: Ints, cost: Floats) -> None:
    """Compare a query with some points; one is left at the first column that makes it too far."""
    width, size = queries.low.shape[1], len(near)
    for r in rows:
        total, j = points.handicap[r], 0
        while j < width and total <= cost[size - 1]:
            total += part_of_distance(difference(queries, q, points, r, j), steps[j], False)
            j += 1
        if j == width:
            insert_nearest(cost, near, size, total, r)
