"""The Euclidean minimum spanning tree of a file, without all pairs.

Reference: Boruvka (1926), with the nearest record of another component found in a tree of the records (Bentley &
Friedman 1978, Fast algorithms for constructing minimal spanning trees in coordinate spaces).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.search.halves import DEPTH
from microveil.kernels.search.halving_tree import Tree, box_gap, build_tree

_MIXED = -1  # a node with records of several components


class SpanningTree(NamedTuple):
    """n - 1 edges between rows first < second, by squared length, then endpoints."""

    first: Ints
    second: Ints
    length: Floats


@compiled
def spanning_tree(X: Floats) -> SpanningTree:
    """The minimum spanning tree; edges of equal length are taken in the order of their endpoints, so it is unique.

    In rounds, every component is joined to its nearest record outside. A record's last nearest one bounds the next.
    """
    n = X.shape[0]
    tree = build_tree(X)
    component = np.arange(n)
    near = np.full(n, -1, dtype=np.int64)
    near_distance = np.zeros(n)
    first = np.empty(n, dtype=np.int64)
    second = np.empty(n, dtype=np.int64)
    length = np.empty(n)
    edges = 0
    while edges < n - 1:
        best = _shortest_ways_out(X, tree, component, near, near_distance)
        for c in range(n):
            i = best[c]
            if i < 0:
                continue
            a, b = find(component, i), find(component, near[i])
            if a != b:
                component[max(a, b)] = min(a, b)
                first[edges], second[edges] = min(i, near[i]), max(i, near[i])
                length[edges] = near_distance[i]
                edges += 1
        for i in range(n):
            component[i] = find(component, i)
    return _sorted(first[:edges], second[:edges], length[:edges])


@compiled
def find(component: Ints, i: int) -> int:
    """The record that stands for the set of record i; the way there is halved."""
    while component[i] != i:
        component[i] = component[component[i]]
        i = component[i]
    return i


@compiled
def _shortest_ways_out(X: Floats, tree: Tree, component: Ints, near: Ints, near_distance: Floats) -> Ints:
    """For each component the record from which the shortest edge leaves it; -1 for numbers that are no component."""
    n = X.shape[0]
    of_node = _components_of_nodes(tree, component)
    best = np.full(n, -1, dtype=np.int64)
    for i in tree.halves.rows:  # near records one after the other: bounds are found early and memory is near
        c = component[i]
        bound = np.inf if best[c] < 0 else near_distance[best[c]]
        if near_distance[i] > bound:
            continue
        if near[i] < 0 or component[near[i]] == c:
            near[i], near_distance[i] = _nearest_outside(X, tree, i, component, of_node, bound)
        if near[i] >= 0 and (best[c] < 0 or _shorter(i, best[c], near, near_distance)):
            best[c] = i
    return best


@compiled
def _shorter(i: int, j: int, near: Ints, near_distance: Floats) -> bool:
    if near_distance[i] != near_distance[j]:
        return bool(near_distance[i] < near_distance[j])
    i_low, j_low = min(i, near[i]), min(j, near[j])
    return bool(i_low < j_low or (i_low == j_low and max(i, near[i]) < max(j, near[j])))


@compiled
def _components_of_nodes(tree: Tree, component: Ints) -> Ints:
    nodes, inner = len(tree.left), tree.halves.first_leaf
    of_node = np.empty(nodes, dtype=np.int64)
    for node in range(nodes - 1, -1, -1):
        if node < inner:
            a, b = of_node[2 * node + 1], of_node[2 * node + 2]
            of_node[node] = a if a == b else _MIXED
        else:
            of_node[node] = component[tree.halves.rows[tree.halves.start[node]]]
            for i in range(tree.halves.start[node], tree.halves.stop[node]):
                if component[tree.halves.rows[i]] != of_node[node]:
                    of_node[node] = _MIXED
    return of_node


@compiled
def _nearest_outside(X: Floats, tree: Tree, i: int, component: Ints, of_node: Ints, bound: float) -> tuple[int, float]:
    """The record of another component nearest to record i, with its squared distance; (-1, bound) if none is within."""
    own = component[i]
    point = X[i]
    best, shortest = -1, bound
    inner = tree.halves.first_leaf
    stack = np.empty(DEPTH, dtype=np.int64)
    gaps = np.empty(DEPTH)
    stack[0], gaps[0], held = 0, 0.0, 1
    while held > 0:
        held -= 1
        node = stack[held]
        too_far = gaps[held] > shortest or (gaps[held] == shortest and best >= 0 and tree.lowest[node] > best)
        if too_far or of_node[node] == own:
            continue
        if node >= inner:
            for place in range(tree.halves.start[node], tree.halves.stop[node]):
                row = tree.halves.rows[place]
                if component[row] == own:
                    continue
                total = 0.0
                for j in range(point.shape[0]):
                    t = tree.points[place, j] - point[j]
                    total += t * t
                if total < shortest or (total == shortest and (best < 0 or row < best)):
                    best, shortest = row, total
            continue
        close, far = 2 * node + 1, 2 * node + 2
        close_gap, far_gap = box_gap(tree, close, point), box_gap(tree, far, point)
        if far_gap < close_gap or (far_gap == close_gap and tree.lowest[far] < tree.lowest[close]):
            close, far, close_gap, far_gap = far, close, far_gap, close_gap
        stack[held], gaps[held] = far, far_gap
        stack[held + 1], gaps[held + 1] = close, close_gap
        held += 2
    return best, shortest


@compiled
def _sorted(first: Ints, second: Ints, length: Floats) -> SpanningTree:
    """The edges by length, first and second endpoint: stable sorts from the last key to the first."""
    order = np.argsort(second, kind="mergesort")
    order = order[np.argsort(first[order], kind="mergesort")]
    order = order[np.argsort(length[order], kind="mergesort")]
    return SpanningTree(first[order], second[order], length[order])
