"""Is the true partner of a record its nearest record, and among how many equally near ones?

Only that question is answered, not which record is nearest: a search leaves at the first record that
is nearer than the partner, so most searches are short.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import insert_nearest
from microveil.kernels.linkage.cells import ABSOLUTE, RELATIVE, Cells, distance, numbers
from microveil.kernels.linkage.sweep import ties_by_sweep, tiles_of
from microveil.kernels.search.halves import DEPTH, Halves, halve

_LEAF = 16
_BLOCK = 1 << 13  # queries handed to a thread at a time
# A search that looks at more records than this, or than this part of them, is ended by a sweep: until then it has
# taken about as long as a sweep takes, so that the wrong choice costs twice the right one at most.
_MOST_LOOKED_AT = 512
_PART_LOOKED_AT = 10
_OPEN = -1  # in the place of ties, where a search gave up


class CellTree(NamedTuple):
    """Records in the order of the leaves of a halved file, with what each node spans.

    `counts` is how many records each one stands for. A node spans the ranges of its records, has all values of their
    sets and their least handicap.
    """

    halves: Halves
    points: Cells
    counts: Ints
    nodes: Cells


def tied_with_partner(
    queries: Floats | Cells,
    points: Floats | Cells,
    partner: Ints,
    counts: Ints,
    steps: Floats,
    manhattan: bool = False,
) -> Ints:
    """For each query the number of records as near as its partner; 0 where another record is nearer.

    `points` are distinct rows that stand for `counts` records each, `partner` the point of each query.
    The distance is Euclidean, or Manhattan. A column of codes has a row of `steps` whose last entry is not
    0: it contributes steps[j, min(difference of codes, last)], 0 and 1 for nominal values; the entries
    must not decrease. Sets differ by 1 when they share no value.
    Exact for any number of records and attributes; memory beyond the input is one copy of the points.
    """
    asked = queries if isinstance(queries, Cells) else numbers(queries)
    tree = plant(points if isinstance(points, Cells) else numbers(points), np.asarray(counts, dtype=np.int64))
    where = tree.halves.place_of[partner]
    # neighbouring queries visit the same leaves
    order = np.argsort(where, kind="stable")
    ties = np.empty(len(asked.low), dtype=np.int64)

    plain = not manhattan and _are_numbers(asked, steps) and _are_numbers(tree.points, steps)
    most = max(_MOST_LOOKED_AT, len(counts) // _PART_LOOKED_AT) if plain else len(counts)

    def search(chosen: Ints) -> None:
        _search(tree, asked, where, chosen, steps, manhattan, most, ties)

    in_blocks(search, order)
    left = order[ties[order] == _OPEN]
    if len(left):
        tiles = tiles_of(tree.points.low)
        in_blocks(lambda chosen: ties_by_sweep(tiles, asked.low, tree.counts, where, chosen, ties), left)
    return ties


def _are_numbers(cells: Cells, steps: Floats) -> bool:
    """Whether distances are plain Euclidean ones: no ranges, sets, codes, gaps or handicaps."""
    simple = cells.high is cells.low and not cells.sets.size and not cells.gaps.size
    return simple and not cells.handicap.any() and not steps[:, -1].any()


def nearest_cells(queries: Cells, points: Cells, size: int, steps: Floats, manhattan: bool) -> tuple[Ints, Floats]:
    """The `size` nearest points of each query by rising distance (squared unless Manhattan), the lowest row first."""
    tree = plant(points, np.ones(len(points.low), dtype=np.int64))
    near = np.empty((len(queries.low), size), dtype=np.int64)
    cost = np.full((len(queries.low), size), np.inf)

    def search(chosen: Ints) -> None:
        _search_nearest(tree, queries, chosen, steps, manhattan, near, cost)

    in_blocks(search, np.arange(len(queries.low)))
    return near, cost


def in_blocks(search: Callable[[Ints], None], order: Ints) -> None:
    """Hand some queries at a time to the threads there are."""
    blocks = [order[start : start + _BLOCK] for start in range(0, len(order), _BLOCK)]
    if len(blocks) > 1:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(search, blocks))
    else:
        for block in blocks:
            search(block)


def plant(points: Cells, counts: Ints) -> CellTree:
    """The tree of some records."""
    halves = halve(points.low, _LEAF)
    arranged = points.rows(halves.rows)
    return CellTree(halves, arranged, counts[halves.rows], _spans(arranged, halves))


@compiled
def _spans(points: Cells, halves: Halves) -> Cells:
    d, words, nodes = points.low.shape[1], points.sets.shape[1], len(halves.start)
    low, high = np.full((nodes, d), np.inf), np.full((nodes, d), -np.inf)
    sets, handicap = np.zeros((nodes, words), dtype=np.uint64), np.full(nodes, np.inf)
    for v in range(halves.first_leaf, nodes):
        for r in range(halves.start[v], halves.stop[v]):
            for j in range(d):
                low[v, j] = min(low[v, j], points.low[r, j])
                high[v, j] = max(high[v, j], points.high[r, j])
            for w in range(words):
                sets[v, w] |= points.sets[r, w]
            handicap[v] = min(handicap[v], points.handicap[r])
    for v in range(halves.first_leaf - 1, -1, -1):
        for j in range(d):
            low[v, j] = min(low[2 * v + 1, j], low[2 * v + 2, j])
            high[v, j] = max(high[2 * v + 1, j], high[2 * v + 2, j])
        for w in range(words):
            sets[v, w] = sets[2 * v + 1, w] | sets[2 * v + 2, w]
        handicap[v] = min(handicap[2 * v + 1], handicap[2 * v + 2])
    return Cells(low, high, sets, points.starts, handicap, np.zeros((nodes, 0), dtype=np.uint64))


@compiled
def _scaled_up(apart: float, a: Cells, q: int, b: Cells, r: int) -> float:
    """A distance over the columns that both have as one over all columns; infinite where they have none in common."""
    width = a.low.shape[1]
    both = 0
    for j in range(width):
        w, bit = j // 64, np.uint64(1) << np.uint64(j % 64)
        if not (a.gaps[q, w] | b.gaps[r, w]) & bit:
            both += 1
    return apart * width / both if both > 0 else np.inf


@compiled
def _search(
    tree: CellTree, queries: Cells, where: Ints, chosen: Ints, steps: Floats, manhattan: bool, most: int, ties: Ints
) -> None:
    stack = np.empty(DEPTH, dtype=np.int64)
    for q in chosen:
        ties[q] = _ties(tree, queries, q, where[q], steps, manhattan, most, stack)


@compiled
def _ties(
    tree: CellTree, queries: Cells, q: int, partner: int, steps: Floats, manhattan: bool, most: int, stack: Ints
) -> int:
    halves = tree.halves
    partial = queries.gaps.shape[1] > 0  # asked outside of `distance`, which takes twice as long with a question in it
    own = distance(queries, q, tree.points, partner, steps, manhattan)
    if partial:
        own = _scaled_up(own, queries, q, tree.points, partner)
    nearer, equal = own * (1.0 - RELATIVE) - ABSOLUTE, own * (1.0 + RELATIVE) + ABSOLUTE
    tied = looked_at = 0
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        v = stack[top]
        if v >= halves.first_leaf:
            looked_at += halves.stop[v] - halves.start[v]
            if looked_at > most:
                return _OPEN
            for r in range(halves.start[v], halves.stop[v]):
                d = distance(queries, q, tree.points, r, steps, manhattan)
                if partial:
                    d = _scaled_up(d, queries, q, tree.points, r)
                if d < nearer:
                    return 0
                if d <= equal:
                    tied += tree.counts[r]
            continue
        # what a node says without scaling up is less: no record in it is nearer
        left = distance(queries, q, tree.nodes, 2 * v + 1, steps, manhattan)
        right = distance(queries, q, tree.nodes, 2 * v + 2, steps, manhattan)
        near, far = (2 * v + 1, 2 * v + 2) if left <= right else (2 * v + 2, 2 * v + 1)
        # the nearer child lies on top: a nearer record is found early
        if max(left, right) <= equal:
            stack[top] = far
            top += 1
        if min(left, right) <= equal:
            stack[top] = near
            top += 1
    return tied


@compiled
def _search_nearest(
    tree: CellTree, queries: Cells, chosen: Ints, steps: Floats, manhattan: bool, near: Ints, cost: Floats
) -> None:
    halves, size = tree.halves, near.shape[1]
    stack = np.empty(DEPTH, dtype=np.int64)
    for q in chosen:
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            v = stack[top]
            if distance(queries, q, tree.nodes, v, steps, manhattan) > cost[q, size - 1]:
                continue
            if v >= halves.first_leaf:
                for r in range(halves.start[v], halves.stop[v]):
                    d = distance(queries, q, tree.points, r, steps, manhattan)
                    insert_nearest(cost[q], near[q], size, d, halves.rows[r])
                continue
            left = distance(queries, q, tree.nodes, 2 * v + 1, steps, manhattan)
            right = distance(queries, q, tree.nodes, 2 * v + 2, steps, manhattan)
            stack[top], stack[top + 1] = (2 * v + 2, 2 * v + 1) if left <= right else (2 * v + 1, 2 * v + 2)
            top += 2
