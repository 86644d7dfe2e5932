"""Is the true partner of a record its nearest record, and among how many equally near ones?

Only that question is answered, not which record is nearest: a search leaves at the first record that
is nearer than the partner, so most searches are short.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]

_LEAF = 16
_BLOCK = 1 << 13  # queries handed to a thread at a time
# Distances that differ by less are equal up to rounding: they tie, whatever the order of the rows.
_RELATIVE = 1e-9
_ABSOLUTE = 1e-22


class BoxTree(NamedTuple):
    """Points in the order of the leaves of a balanced tree, with the bounding box of each node.

    Node v has the children 2v + 1 and 2v + 2; the m points of a level with 2^l nodes are cut at
    i m / 2^l, so that no pointers are kept. `place` is where each point went; `counts` how many
    records each point stands for.
    """

    points: Float
    counts: Int
    place: Int
    low: Float
    high: Float
    levels: int


def tied_with_partner(
    queries: Float,
    points: Float,
    partner: Int,
    counts: Int,
    steps: Float,
    manhattan: bool = False,
) -> Int:
    """For each query the number of records as near as its partner; 0 where another record is nearer.

    `points` are distinct rows that stand for `counts` records each, `partner` the point of each query.
    The distance is Euclidean, or Manhattan. A column of codes has a row of `steps` whose last entry is not
    0: it contributes steps[j, min(difference of codes, last)], 0 and 1 for nominal values; the entries
    must not decrease.
    Exact for any number of records and attributes; memory beyond the input is one copy of the points.
    """
    tree = _tree(np.ascontiguousarray(points, dtype=np.float64), np.asarray(counts, dtype=np.int64))
    queries = np.ascontiguousarray(queries, dtype=np.float64)
    where = tree.place[partner]
    # neighbouring queries visit the same leaves
    order = np.argsort(where, kind="stable")
    ties = np.empty(len(queries), dtype=np.int64)

    def search(start: int) -> None:
        _search(tree, queries, where, order[start : start + _BLOCK], steps, manhattan, ties)

    starts = range(0, len(order), _BLOCK)
    if len(starts) > 1:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(search, starts))
    else:
        for start in starts:
            search(start)
    return ties


def _tree(points: Float, counts: Int) -> BoxTree:
    levels = 0
    while len(points) >> levels > _LEAF:
        levels += 1
    order = np.arange(len(points))
    _arrange(points, order, levels)
    arranged = points[order]
    place = np.empty(len(points), dtype=np.int64)
    place[order] = np.arange(len(points))
    low, high = _boxes(arranged, levels)
    return BoxTree(arranged, counts[order], place, low, high, levels)


@njit(cache=True, nogil=True)
def _arrange(points: Float, order: Int, levels: int) -> None:
    """Bring neighbours together: halve each node across its widest column."""
    m = len(order)
    keys = np.empty(m)
    for level in range(levels):
        for i in range(1 << level):
            start, stop = (i * m) >> level, ((i + 1) * m) >> level
            j = _widest(points, order[start:stop])
            for r in range(start, stop):
                keys[r] = points[order[r], j]
            _select(keys[start:stop], order[start:stop], (((2 * i + 1) * m) >> (level + 1)) - start)


@njit(cache=True, nogil=True)
def _widest(points: Float, rows: Int) -> int:
    widest, best = 0, -1.0
    for j in range(points.shape[1]):
        low = high = points[rows[0], j]
        for r in rows:
            low = min(low, points[r, j])
            high = max(high, points[r, j])
        if high - low > best:
            widest, best = j, high - low
    return widest


@njit(cache=True, nogil=True)
def _select(keys: Float, rows: Int, middle: int) -> None:
    """Quickselect: afterwards no key before `middle` is larger than one from there on."""
    left, right = 0, len(keys) - 1
    while left < right:
        pivot = keys[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                rows[i], rows[j] = rows[j], rows[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@njit(cache=True, nogil=True)
def _boxes(points: Float, levels: int) -> tuple[Float, Float]:
    m, d = points.shape
    nodes = (2 << levels) - 1
    low, high = np.full((nodes, d), np.inf), np.full((nodes, d), -np.inf)
    first = (1 << levels) - 1
    for leaf in range(1 << levels):
        for r in range((leaf * m) >> levels, ((leaf + 1) * m) >> levels):
            for j in range(d):
                low[first + leaf, j] = min(low[first + leaf, j], points[r, j])
                high[first + leaf, j] = max(high[first + leaf, j], points[r, j])
    for v in range(first - 1, -1, -1):
        for j in range(d):
            low[v, j] = min(low[2 * v + 1, j], low[2 * v + 2, j])
            high[v, j] = max(high[2 * v + 1, j], high[2 * v + 2, j])
    return low, high


@njit(cache=True, nogil=True)
def _part(d: float, steps: Float, manhattan: bool) -> float:
    """What a difference d >= 0 in one column adds to the distance."""
    last = len(steps) - 1
    if steps[last] > 0.0:
        return float(steps[min(int(d), last)])
    return d if manhattan else d * d


@njit(cache=True, nogil=True)
def _distance(a: Float, b: Float, steps: Float, manhattan: bool) -> float:
    total = 0.0
    for j in range(len(a)):
        total += _part(abs(a[j] - b[j]), steps[j], manhattan)
    return total


@njit(cache=True, nogil=True)
def _box_distance(a: Float, low: Float, high: Float, steps: Float, manhattan: bool) -> float:
    """No point of the box is nearer than this."""
    total = 0.0
    for j in range(len(a)):
        total += _part(max(0.0, max(low[j] - a[j], a[j] - high[j])), steps[j], manhattan)
    return total


@njit(cache=True, nogil=True)
def _search(tree: BoxTree, queries: Float, where: Int, chosen: Int, steps: Float, manhattan: bool, ties: Int) -> None:
    stack = np.empty(2 * tree.levels + 2, dtype=np.int64)
    for q in chosen:
        ties[q] = _ties(tree, queries[q], where[q], steps, manhattan, stack)


@njit(cache=True, nogil=True)
def _ties(tree: BoxTree, a: Float, partner: int, steps: Float, manhattan: bool, stack: Int) -> int:
    m = len(tree.points)
    first = (1 << tree.levels) - 1
    own = _distance(a, tree.points[partner], steps, manhattan)
    nearer, equal = own * (1.0 - _RELATIVE) - _ABSOLUTE, own * (1.0 + _RELATIVE) + _ABSOLUTE
    tied = 0
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        v = stack[top]
        if v >= first:
            for r in range(((v - first) * m) >> tree.levels, ((v - first + 1) * m) >> tree.levels):
                d = _distance(a, tree.points[r], steps, manhattan)
                if d < nearer:
                    return 0
                if d <= equal:
                    tied += tree.counts[r]
            continue
        left = _box_distance(a, tree.low[2 * v + 1], tree.high[2 * v + 1], steps, manhattan)
        right = _box_distance(a, tree.low[2 * v + 2], tree.high[2 * v + 2], steps, manhattan)
        near, far = (2 * v + 1, 2 * v + 2) if left <= right else (2 * v + 2, 2 * v + 1)
        # the nearer child lies on top: a nearer record is found early
        if max(left, right) <= equal:
            stack[top] = far
            top += 1
        if min(left, right) <= equal:
            stack[top] = near
            top += 1
    return tied


def nominal_steps(nominal: NDArray[np.bool_]) -> Float:
    """The steps of columns that are nominal (equal or not) or numbers."""
    return np.column_stack([np.zeros(len(nominal)), nominal.astype(np.float64)])
