"""Who would rather pay another place in a one-to-one assignment, at the prices of all: what to offer next.

In an assignment of least total cost each place has a price such that everybody has the best place for cost and price
together, among those that were offered. Whoever finds a better one among all places should be offered it.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled, inlined
from microveil.kernels.distances.exact import insert_nearest
from microveil.kernels.linkage.cells import Cells, distance
from microveil.kernels.linkage.partners import CellTree, in_blocks
from microveil.kernels.search.halves import DEPTH, Halves


def better_points(
    tree: CellTree, price: Floats, queries: Cells, pays: Floats, size: int, steps: Floats, manhattan: bool
) -> tuple[Ints, Floats]:
    """Up to `size` points of each query that are cheaper than what it pays, distance and price together.

    The cheapest come first, equal ones by row; -1 where there are no more. Beside them their distances.
    """
    near = np.full((len(queries.low), size), -1, dtype=np.int64)
    total = np.repeat(pays[:, None], size, axis=1)
    arranged = price[tree.halves.rows]
    lowest = _lowest(arranged, tree.halves)

    def search(chosen: Ints) -> None:
        _search(tree, arranged, lowest, queries, chosen, steps, manhattan, near, total)

    in_blocks(search, np.arange(len(queries.low)))
    return near, _distances(tree, queries, near, steps, manhattan)


@compiled
def _lowest(price: Floats, halves: Halves) -> Floats:
    """The lowest price in each node."""
    out = np.full(len(halves.start), np.inf)
    for v in range(len(out) - 1, -1, -1):
        if v >= halves.first_leaf:
            for r in range(halves.start[v], halves.stop[v]):
                out[v] = min(out[v], price[r])
        else:
            out[v] = min(out[2 * v + 1], out[2 * v + 2])
    return out


@compiled
def _distances(tree: CellTree, queries: Cells, near: Ints, steps: Floats, manhattan: bool) -> Floats:
    """How far each query is from the points found for it."""
    out = np.full(near.shape, np.inf)
    for q in range(near.shape[0]):
        for i in range(near.shape[1]):
            if near[q, i] >= 0:
                place = tree.halves.place_of[near[q, i]]
                out[q, i] = _away(queries, q, tree.points, place, steps, manhattan)
    return out


@compiled
def _search(
    tree: CellTree,
    price: Floats,
    lowest: Floats,
    queries: Cells,
    chosen: Ints,
    steps: Floats,
    manhattan: bool,
    near: Ints,
    total: Floats,
) -> None:
    """Write the points at which distance and price together are least, by (total, row), into near and total.

    `price` is in the order of the places, `lowest` the lowest of each node. What `total` holds at first must be beaten.
    """
    halves, size = tree.halves, near.shape[1]
    stack = np.empty(DEPTH, dtype=np.int64)
    for q in chosen:
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            v = stack[top]
            if _away(queries, q, tree.nodes, v, steps, manhattan) + lowest[v] > total[q, size - 1]:
                continue
            if v >= halves.first_leaf:
                for r in range(halves.start[v], halves.stop[v]):
                    cost = _away(queries, q, tree.points, r, steps, manhattan) + price[r]
                    insert_nearest(total[q], near[q], size, cost, halves.rows[r])
                continue
            left = _away(queries, q, tree.nodes, 2 * v + 1, steps, manhattan) + lowest[2 * v + 1]
            right = _away(queries, q, tree.nodes, 2 * v + 2, steps, manhattan) + lowest[2 * v + 2]
            stack[top], stack[top + 1] = (2 * v + 2, 2 * v + 1) if left <= right else (2 * v + 1, 2 * v + 2)
            top += 2


@inlined
def _away(queries: Cells, q: int, b: Cells, r: int, steps: Floats, manhattan: bool) -> float:
    """The distance itself with the handicap of the query, where `distance` is squared unless Manhattan."""
    d = distance(queries, q, b, r, steps, manhattan) + queries.handicap[q]
    return float(d if manhattan else np.sqrt(d))
