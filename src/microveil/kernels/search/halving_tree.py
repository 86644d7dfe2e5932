"""A tree over records that shrinks as they are grouped: nearest and farthest of those left.

Exact: squared distances are summed in column order, the bounds of a box are sums of the same form, so rounding
never hides a record. Ties go to the lowest row; every node knows its lowest row, so that many equal records cost no
more than different ones. Boxes shrink with every record removed, which keeps searches short when a heuristic eats a
file from its border. Reference: Friedman, Bentley & Finkel (1977), An algorithm for finding
best matches in logarithmic expected time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import insert_nearest
from microveil.kernels.search.leaves import select

_LEAF = 12
_DEPTH = 64  # deeper than any tree that fits into memory


class Tree(NamedTuple):
    """A balanced binary tree in heap order: the children of node i are 2i + 1 and 2i + 2.

    Node i holds the places start[i] to stop[i]; `points` and `rows` are in the order of the places, `place_of` leads
    from a row to its place. `left` counts the records of a node that are still there, `there` tells which, `lowest` is
    the lowest row among them.
    """

    points: Floats
    rows: Ints
    place_of: Ints
    start: Ints
    stop: Ints
    low: Floats
    high: Floats
    left: Ints
    lowest: Ints
    there: Bools


@compiled
def build_tree(X: Floats) -> Tree:
    """The tree of all rows of X, halved at the median of the widest attribute down to about a dozen records."""
    n, d = X.shape
    levels = 0
    while (n >> levels) > _LEAF:
        levels += 1
    inner = (1 << levels) - 1
    nodes = 2 * inner + 1
    start = np.zeros(nodes, dtype=np.int64)
    stop = np.zeros(nodes, dtype=np.int64)
    low = np.empty((nodes, d))
    high = np.empty((nodes, d))
    rows = np.arange(n)
    keys = np.empty(n)
    stop[0] = n
    for node in range(nodes):
        widest = _bound(X, rows, start[node], stop[node], low[node], high[node])
        if node < inner:
            middle = (start[node] + stop[node]) // 2
            for i in range(start[node], stop[node]):
                keys[i] = X[rows[i], widest]
            select(keys[start[node] : stop[node]], rows[start[node] : stop[node]], middle - start[node])
            start[2 * node + 1], stop[2 * node + 1] = start[node], middle
            start[2 * node + 2], stop[2 * node + 2] = middle, stop[node]
    lowest = np.full(nodes, n)
    for node in range(nodes - 1, -1, -1):
        if node < inner:
            lowest[node] = min(lowest[2 * node + 1], lowest[2 * node + 2])
        else:
            lowest[node] = rows[start[node] : stop[node]].min()
    place_of = np.empty(n, dtype=np.int64)
    place_of[rows] = np.arange(n)
    return Tree(X[rows], rows, place_of, start, stop, low, high, stop - start, lowest, np.ones(n, dtype=np.bool_))


@compiled
def _bound(X: Floats, rows: Ints, start: int, stop: int, low: Floats, high: Floats) -> int:
    """Write the box of some rows; the widest attribute."""
    low[:] = np.inf
    high[:] = -np.inf
    for i in range(start, stop):
        for j in range(X.shape[1]):
            x = X[rows[i], j]
            low[j] = min(low[j], x)
            high[j] = max(high[j], x)
    return int(np.argmax(high - low))


@compiled
def remove(tree: Tree, row: int) -> None:
    """Take a record out of the tree, and tighten what its nodes know of those left."""
    place = tree.place_of[row]
    tree.there[place] = False
    inner = tree.left.shape[0] // 2
    node = 0
    tree.left[0] -= 1
    while node < inner:
        node = 2 * node + 1 if place < tree.stop[2 * node + 1] else 2 * node + 2
        tree.left[node] -= 1
    if not _held(tree, node, place, row):
        return
    tree.low[node] = np.inf
    tree.high[node] = -np.inf
    tree.lowest[node] = tree.rows.shape[0]
    for i in range(tree.start[node], tree.stop[node]):
        if tree.there[i]:
            tree.lowest[node] = min(tree.lowest[node], tree.rows[i])
            for j in range(tree.points.shape[1]):
                tree.low[node, j] = min(tree.low[node, j], tree.points[i, j])
                tree.high[node, j] = max(tree.high[node, j], tree.points[i, j])
    while node > 0:
        node = (node - 1) // 2
        if not _held(tree, node, place, row):
            return
        first, second = 2 * node + 1, 2 * node + 2
        tree.lowest[node] = min(tree.lowest[first], tree.lowest[second])
        for j in range(tree.points.shape[1]):
            tree.low[node, j] = min(tree.low[first, j], tree.low[second, j])
            tree.high[node, j] = max(tree.high[first, j], tree.high[second, j])


@compiled
def _held(tree: Tree, node: int, place: int, row: int) -> bool:
    """Whether a record lies on the border of a node's box or is its lowest row."""
    if row == tree.lowest[node]:
        return True
    for j in range(tree.points.shape[1]):
        x = tree.points[place, j]
        if x == tree.low[node, j] or x == tree.high[node, j]:
            return True
    return False


@compiled
def box_gap(tree: Tree, node: int, point: Floats) -> float:
    """Squared distance from a point to the box of a node: a lower bound."""
    total = 0.0
    for j in range(point.shape[0]):
        t = max(tree.low[node, j] - point[j], point[j] - tree.high[node, j], 0.0)
        total += t * t
    return total


@compiled
def _reach(tree: Tree, node: int, point: Floats) -> float:
    """Squared distance from a point to the farthest corner of the box of a node: an upper bound."""
    total = 0.0
    for j in range(point.shape[0]):
        t = max(tree.high[node, j] - point[j], point[j] - tree.low[node, j])
        total += t * t
    return total


@compiled
def nearest(tree: Tree, point: Floats, skip: int, count: int, distances: Floats, rows: Ints) -> None:
    """Write the `count` records nearest to a point (never the row `skip`), nearest first, with squared distances.

    Places that no record is left for hold an infinite distance and row -1.
    """
    distances[:count] = np.inf
    rows[:count] = -1
    inner = tree.left.shape[0] // 2
    stack = np.empty(_DEPTH, dtype=np.int64)
    gaps = np.empty(_DEPTH)
    stack[0], gaps[0], held = 0, 0.0, 1
    while held > 0:
        held -= 1
        node = stack[held]
        worst = distances[count - 1]
        if gaps[held] > worst or (gaps[held] == worst and tree.lowest[node] > rows[count - 1]) or tree.left[node] == 0:
            continue
        if node >= inner:
            for i in range(tree.start[node], tree.stop[node]):
                if tree.there[i] and tree.rows[i] != skip:
                    total = 0.0
                    for j in range(point.shape[0]):
                        t = tree.points[i, j] - point[j]
                        total += t * t
                    if total <= distances[count - 1]:
                        insert_nearest(distances, rows, count, total, tree.rows[i])
            continue
        near, far = 2 * node + 1, 2 * node + 2
        near_gap, far_gap = box_gap(tree, near, point), box_gap(tree, far, point)
        if far_gap < near_gap or (far_gap == near_gap and tree.lowest[far] < tree.lowest[near]):
            near, far, near_gap, far_gap = far, near, far_gap, near_gap
        stack[held], gaps[held] = far, far_gap
        stack[held + 1], gaps[held + 1] = near, near_gap
        held += 2


@compiled
def farthest(tree: Tree, point: Floats, skip: int) -> tuple[int, float]:
    """The record farthest from a point (never the row `skip`) and its squared distance; row -1 when none is left."""
    best, largest = -1, -1.0
    inner = tree.left.shape[0] // 2
    stack = np.empty(_DEPTH, dtype=np.int64)
    reaches = np.empty(_DEPTH)
    stack[0], reaches[0], held = 0, np.inf, 1
    while held > 0:
        held -= 1
        node = stack[held]
        if reaches[held] < largest or (reaches[held] == largest and tree.lowest[node] > best) or tree.left[node] == 0:
            continue
        if node >= inner:
            for i in range(tree.start[node], tree.stop[node]):
                row = tree.rows[i]
                if tree.there[i] and row != skip:
                    total = 0.0
                    for j in range(point.shape[0]):
                        t = tree.points[i, j] - point[j]
                        total += t * t
                    if total > largest or (total == largest and row < best):
                        best, largest = row, total
            continue
        first, second = 2 * node + 1, 2 * node + 2
        first_reach = _reach(tree, first, point) if tree.left[first] else -1.0
        second_reach = _reach(tree, second, point) if tree.left[second] else -1.0
        if second_reach > first_reach or (second_reach == first_reach and tree.lowest[second] < tree.lowest[first]):
            first, second, first_reach, second_reach = second, first, second_reach, first_reach
        stack[held], reaches[held] = second, second_reach
        stack[held + 1], reaches[held + 1] = first, first_reach
        held += 2
    return best, largest
