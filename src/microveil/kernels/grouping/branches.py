"""Groups from a minimum spanning tree: long edges cut where both sides keep at least k records.

Reference: Laszlo & Mukherjee (2005), Minimum spanning tree partitioning algorithm for microaggregation, IEEE
Transactions on Knowledge and Data Engineering 17.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.grouping.cuts import consecutive
from microveil.kernels.grouping.orders import centroid_based, maximum_distance
from microveil.kernels.search.spanning import spanning_tree

NONE, DIAMETER, CENTROID = 0, 1, 2


class Links(NamedTuple):
    """The edges at record i are edges[start[i]:start[i] + degree[i]]; `place` tells where an edge stands there."""

    first: Ints
    second: Ints
    start: Ints
    degree: Ints
    edges: Ints
    place: Ints


@compiled
def mst_groups(X: Floats, k: int, refinement: int) -> Ints:
    """Components of the cut spanning tree; those of 2k records or more are split into groups of k by a heuristic.

    `refinement`: 0 leaves them whole, 1 groups around the most distant pair, 2 around the record farthest from the
    centroid, one at a time.
    """
    n = X.shape[0]
    edges = spanning_tree(X)
    links = _link(edges.first, edges.second, n)
    stack = np.empty((2, k + 1), dtype=np.int64)
    for e in range(edges.length.shape[0] - 1, -1, -1):
        if _keeps(links, e, links.first[e], k, stack) and _keeps(links, e, links.second[e], k, stack):
            _unlink(links, e, 0)
            _unlink(links, e, 1)
    labels = _components(links)
    return labels if refinement == NONE else _split(X, labels, k, refinement)


@compiled
def _link(first: Ints, second: Ints, n: int) -> Links:
    degree = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    start = np.cumsum(degree) - degree
    edges = np.empty(2 * first.shape[0], dtype=np.int64)
    place = np.empty((2, first.shape[0]), dtype=np.int64)
    filled = start.copy()
    for e in range(first.shape[0]):
        for end in range(2):
            i = first[e] if end == 0 else second[e]
            edges[filled[i]] = e
            place[end, e] = filled[i]
            filled[i] += 1
    return Links(first, second, start, degree, edges, place)


@compiled
def _unlink(links: Links, e: int, end: int) -> None:
    """Take an edge from the list at one of its ends; the last of the list fills the gap."""
    i = links.first[e] if end == 0 else links.second[e]
    links.degree[i] -= 1
    last = links.edges[links.start[i] + links.degree[i]]
    links.edges[links.place[end, e]] = last
    links.place[0 if links.first[last] == i else 1, last] = links.place[end, e]


@compiled
def _keeps(links: Links, without: int, i: int, k: int, stack: Ints) -> bool:
    """Whether at least k records hang together at record i without an edge; no more than k are looked at."""
    stack[0, 0], stack[1, 0] = i, without
    held, count = 1, 1
    while held > 0 and count < k:
        held -= 1
        u, came_by = stack[0, held], stack[1, held]
        for p in range(links.start[u], links.start[u] + links.degree[u]):
            e = links.edges[p]
            if e != came_by:
                stack[0, held] = links.second[e] if links.first[e] == u else links.first[e]
                stack[1, held] = e
                held += 1
                count += 1
                if count >= k:
                    break
    return count >= k


@compiled
def _components(links: Links) -> Ints:
    n = links.start.shape[0]
    labels = np.full(n, -1, dtype=np.int64)
    stack = np.empty(n, dtype=np.int64)
    groups = 0
    for i in range(n):
        if labels[i] >= 0:
            continue
        labels[i] = groups
        stack[0], held = i, 1
        while held > 0:
            held -= 1
            u = stack[held]
            for p in range(links.start[u], links.start[u] + links.degree[u]):
                e = links.edges[p]
                v = links.second[e] if links.first[e] == u else links.first[e]
                if labels[v] < 0:
                    labels[v] = groups
                    stack[held] = v
                    held += 1
        groups += 1
    return labels


@compiled
def _split(X: Floats, labels: Ints, k: int, refinement: int) -> Ints:
    order = np.argsort(labels, kind="mergesort")
    split = np.empty_like(labels)
    start = 0
    groups = 0
    for count in np.bincount(labels):
        members = order[start : start + count]
        start += count
        if count < 2 * k:
            split[members] = groups
            groups += 1
            continue
        inside = X[members]
        path = maximum_distance(inside, k) if refinement == DIAMETER else centroid_based(inside, k)
        split[members[path]] = groups + consecutive(count, k)
        groups += count // k
    return split
