"""Prices of places in a one-to-one assignment, and who would rather pay another one: what to offer next.

In an assignment of least total cost each place has a price such that everybody has the best place for cost and price
together, among those that were offered. Whoever finds a better one among all places should be offered it.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.linkage.partners import BoxTree, Cells, distance, in_blocks


@compiled
def place_prices(start: Ints, place: Ints, cost: Floats, chosen: Ints, paid: Floats, places: int) -> Floats:
    """The price of each place, 0 where it is free, by shortest paths from place to place (Bellman & Ford).

    Person i was offered place[start[i] : start[i + 1]], took chosen[i] and paid[i].
    """
    price = np.zeros(places)
    # rounding must not go round in circles
    least = 1e-12 * (1.0 + np.abs(cost).max())
    changed = True
    while changed:
        changed = False
        for i in range(len(chosen)):
            has = price[chosen[i]] + paid[i]
            for e in range(start[i], start[i + 1]):
                if has - cost[e] > price[place[e]] + least:
                    price[place[e]] = has - cost[e]
                    changed = True
    return price


def better_points(
    tree: BoxTree, price: Floats, queries: Cells, pays: Floats, size: int, steps: Floats, manhattan: bool
) -> tuple[Ints, Floats]:
    """Up to `size` points of each query that are cheaper than what it pays, distance and price together.

    The cheapest come first; -1 where there are no more. Beside them their distances.
    """
    near = np.full((len(queries.low), size), -1, dtype=np.int64)
    total = np.repeat(pays[:, None], size, axis=1)
    apart = np.full((len(queries.low), size), np.inf)
    arranged = np.empty(len(price))
    arranged[tree.place] = price
    lowest = _lowest(arranged, tree.levels)
    back = np.argsort(tree.place)

    def search(chosen: Ints) -> None:
        _search(tree, arranged, lowest, back, queries, chosen, steps, manhattan, near, total, apart)

    in_blocks(search, np.arange(len(queries.low)))
    return near, apart


@compiled
def _lowest(price: Floats, levels: int) -> Floats:
    """The lowest price in each node."""
    m, first = len(price), (1 << levels) - 1
    out = np.full((2 << levels) - 1, np.inf)
    for leaf in range(1 << levels):
        for r in range((leaf * m) >> levels, ((leaf + 1) * m) >> levels):
            out[first + leaf] = min(out[first + leaf], price[r])
    for v in range(first - 1, -1, -1):
        out[v] = min(out[2 * v + 1], out[2 * v + 2])
    return out


@compiled
def _search(
    tree: BoxTree,
    price: Floats,
    lowest: Floats,
    back: Ints,
    queries: Cells,
    chosen: Ints,
    steps: Floats,
    manhattan: bool,
    near: Ints,
    total: Floats,
    apart: Floats,
) -> None:
    stack = np.empty(2 * tree.levels + 2, dtype=np.int64)
    m, first, size = len(price), (1 << tree.levels) - 1, near.shape[1]
    for q in chosen:
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            v = stack[top]
            if _away(queries, q, tree.nodes, v, steps, manhattan) + lowest[v] >= total[q, size - 1]:
                continue
            if v >= first:
                for r in range(((v - first) * m) >> tree.levels, ((v - first + 1) * m) >> tree.levels):
                    d = _away(queries, q, tree.points, r, steps, manhattan)
                    i = size - 1
                    if d + price[r] >= total[q, i]:
                        continue
                    while i > 0 and d + price[r] < total[q, i - 1]:
                        near[q, i], total[q, i], apart[q, i] = near[q, i - 1], total[q, i - 1], apart[q, i - 1]
                        i -= 1
                    near[q, i], total[q, i], apart[q, i] = back[r], d + price[r], d
                continue
            left = _away(queries, q, tree.nodes, 2 * v + 1, steps, manhattan) + lowest[2 * v + 1]
            right = _away(queries, q, tree.nodes, 2 * v + 2, steps, manhattan) + lowest[2 * v + 2]
            stack[top], stack[top + 1] = (2 * v + 2, 2 * v + 1) if left <= right else (2 * v + 1, 2 * v + 2)
            top += 2


@compiled
def _away(queries: Cells, q: int, b: Cells, r: int, steps: Floats, manhattan: bool) -> float:
    d = distance(queries, q, b, r, steps, manhattan) + queries.handicap[q]
    return float(d if manhattan else np.sqrt(d))
