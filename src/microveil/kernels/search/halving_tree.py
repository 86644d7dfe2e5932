"""A tree over records that shrinks as they are grouped: nearest and farthest of those left.

Exact: squared distances are summed in column order, the bounds of a box are sums of the same form, so rounding
never hides a record. Ties go to the lowest row; every node knows its lowest row, so that many equal records cost no
more than different ones. Boxes shrink with every record removed, which keeps searches short when a heuristic eats a
file from its border.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import insert_nearest
from microveil.kernels.search.halves import DEPTH, Halves, halve

_LEAF = 12


class Tree(NamedTuple):
    """The halves of a file with the boxes of those left.

    `points` are in the order of the places. `left` counts the records of a node that are still there, `there` tells
    which, `lowest` is the lowest row among them.
    """

    halves: Halves
    points: Floats
    low: Floats
    high: Floats
    left: Ints
    lowest: Ints
    there: Bools


@compiled
def build_tree(X: Floats) -> Tree:
    """The tree of all rows of X, with about a dozen records in a leaf."""
    n, d = X.shape
    halves = halve(X, _LEAF)
    nodes = len(halves.start)
    tree = Tree(
        halves,
        X[halves.rows],
        np.empty((nodes, d)),
        np.empty((nodes, d)),
        halves.stop - halves.start,
        np.empty(nodes, dtype=np.int64),
        np.ones(n, dtype=np.bool_),
    )
    for node in range(nodes - 1, -1, -1):
        _fit(tree, node)
    return tree


@compiled
def _fit(tree: Tree, node: int) -> None:
    """Box and lowest row of a node, from its records left or from its two halves."""
    if node < tree.halves.first_leaf:
        first, second = 2 * node + 1, 2 * node + 2
        tree.lowest[node] = min(tree.lowest[first], tree.lowest[second])
        for j in range(tree.points.shape[1]):
            tree.low[node, j] = min(tree.low[first, j], tree.low[second, j])
            tree.high[node, j] = max(tree.high[first, j], tree.high[second, j])
        return
    tree.low[node] = np.inf
    tree.high[node] = -np.inf
    tree.lowest[node] = tree.halves.rows.shape[0]
    for i in range(tree.halves.start[node], tree.halves.stop[node]):
        if tree.there[i]:
            tree.lowest[node] = min(tree.lowest[node], tree.halves.rows[i])
            for j in range(tree.points.shape[1]):
                tree.low[node, j] = min(tree.low[node, j], tree.points[i, j])
                tree.high[node, j] = max(tree.high[node, j], tree.points[i, j])


@compiled
def remove(tree: Tree, row: int) -> None:
    """Take a record out of the tree, and tighten what its nodes know of those left."""
    place = tree.halves.place_of[row]
    tree.there[place] = False
    node = 0
    tree.left[0] -= 1
    while node < tree.halves.first_leaf:
        node = 2 * node + 1 if place < tree.halves.stop[2 * node + 1] else 2 * node + 2
        tree.left[node] -= 1
    while _held(tree, node, place, row):
        _fit(tree, node)
        if node == 0:
            return
        node = (node - 1) // 2


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
    inner = tree.halves.first_leaf
    stack = np.empty(DEPTH, dtype=np.int64)
    gaps = np.empty(DEPTH)
    stack[0], gaps[0], held = 0, 0.0, 1
    while held > 0:
        held -= 1
        node = stack[held]
        worst = distances[count - 1]
        if gaps[held] > worst or (gaps[held] == worst and tree.lowest[node] > rows[count - 1]) or tree.left[node] == 0:
            continue
        if node >= inner:
            for i in range(tree.halves.start[node], tree.halves.stop[node]):
                if tree.there[i] and tree.halves.rows[i] != skip:
                    total = 0.0
                    for j in range(point.shape[0]):
                        t = tree.points[i, j] - point[j]
                        total += t * t
                    if total <= distances[count - 1]:
                        insert_nearest(distances, rows, count, total, tree.halves.rows[i])
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
    inner = tree.halves.first_leaf
    stack = np.empty(DEPTH, dtype=np.int64)
    reaches = np.empty(DEPTH)
    stack[0], reaches[0], held = 0, np.inf, 1
    while held > 0:
        held -= 1
        node = stack[held]
        if reaches[held] < largest or (reaches[held] == largest and tree.lowest[node] > best) or tree.left[node] == 0:
            continue
        if node >= inner:
            for i in range(tree.halves.start[node], tree.halves.stop[node]):
                row = tree.halves.rows[i]
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
