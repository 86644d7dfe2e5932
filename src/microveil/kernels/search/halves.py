"""A file halved again and again: the one binary tree, whatever its nodes know of their records.

Nodes lie in heap order: the children of node v are 2v + 1 and 2v + 2, so that no pointers are kept, and the last half
of the nodes are the leaves. Reference: Friedman, Bentley & Finkel (1977), An algorithm for finding best matches in
logarithmic expected time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.search.leaves import select, widest

DEPTH = 64  # deeper than any tree that fits into memory


class Halves(NamedTuple):
    """Node v holds the places start[v] to stop[v]; `rows` are in their order, `place_of` leads from a row to its place.

    The leaves begin at node `first_leaf`.
    """

    rows: Ints
    place_of: Ints
    start: Ints
    stop: Ints
    first_leaf: int


@compiled
def halve(X: Floats, leaf: int) -> Halves:
    """All rows of X, halved at the median of the widest attribute, equal values by row, down to `leaf` of them."""
    n = X.shape[0]
    levels = 0
    while (n >> levels) > leaf:
        levels += 1
    first_leaf = (1 << levels) - 1
    nodes = 2 * first_leaf + 1
    start, stop = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    rows, keys = np.arange(n), np.empty(n)
    stop[0] = n
    for v in range(first_leaf):
        first, last = start[v], stop[v]
        middle = (first + last) // 2
        j = widest(X, rows[first:last])
        for i in range(first, last):
            keys[i] = X[rows[i], j]
        select(keys[first:last], rows[first:last], middle - first)
        start[2 * v + 1], stop[2 * v + 1] = first, middle
        start[2 * v + 2], stop[2 * v + 2] = middle, last
    place_of = np.empty(n, dtype=np.int64)
    place_of[rows] = np.arange(n)
    return Halves(rows, place_of, start, stop, first_leaf)
