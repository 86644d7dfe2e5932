"""Orders of the records of a file: paths along which groups of k are cut.

Fixed-size heuristics form one group of k after the other; listed in the order of formation, each from its seed
outwards, their records make a path whose consecutive groups are those of the heuristic. Ties go to the lowest row.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import add_to_sums, squared_distance, start_sums
from microveil.kernels.search.halving_tree import Tree, build_tree, farthest, nearest, remove


@compiled
def nearest_point_next(X: Floats) -> Ints:
    """From the record farthest from the centroid always to the nearest one not yet visited."""
    n = X.shape[0]
    order = np.empty(n, dtype=np.int64)
    tree = build_tree(X)
    distance, row = np.empty(1), np.empty(1, dtype=np.int64)
    order[0] = farthest(tree, start_sums(X)[0] / n, -1)[0]
    for i in range(1, n):
        remove(tree, order[i - 1])
        nearest(tree, X[order[i - 1]], -1, 1, distance, row)
        order[i] = row[0]
    return order


@compiled
def centroid_based(X: Floats, k: int) -> Ints:
    """Groups of k, each around the record farthest from the centroid of those left.

    Reference: Laszlo & Mukherjee (2005), Minimum spanning tree partitioning algorithm for microaggregation, IEEE
    Transactions on Knowledge and Data Engineering 17.
    """
    n = X.shape[0]
    order = np.empty(n, dtype=np.int64)
    tree = build_tree(X)
    sums = start_sums(X)
    placed = 0
    while n - placed >= 2 * k:
        seed = farthest(tree, sums[0] / (n - placed), -1)[0]
        take_nearest(tree, X, seed, -1, k, order, placed)
        for i in range(placed, placed + k):
            add_to_sums(sums, X[order[i]], -1.0)
        placed += k
    seed = farthest(tree, sums[0] / (n - placed), -1)[0]
    take_nearest(tree, X, seed, -1, n - placed, order, placed)
    return order


@compiled
def maximum_distance(X: Floats, k: int) -> Ints:
    """Groups of k around the two most distant records of those left, again and again.

    Exact without all pairs: every record keeps an upper bound of its distance to the farthest one left; only the
    largest bound is ever made exact. Reference: Domingo-Ferrer & Mateo-Sanz (2002), Practical data-oriented
    microaggregation for statistical disclosure control, IEEE Transactions on Knowledge and Data Engineering 14.
    """
    n = X.shape[0]
    order = np.empty(n, dtype=np.int64)
    tree = build_tree(X)
    partner = np.full(n, -1, dtype=np.int64)
    bounds = _start_bounds(X, tree)
    placed = 0
    while n - placed >= 2 * k:
        r, s = _most_distant(X, tree, partner, bounds)
        take_nearest(tree, X, r, s, k, order, placed)
        _forget(bounds, order, placed, k)
        placed += k
        if n - placed >= 2 * k:
            take_nearest(tree, X, s, -1, k, order, placed)
            _forget(bounds, order, placed, k)
            placed += k
    r, _ = _most_distant(X, tree, partner, bounds)
    take_nearest(tree, X, r, -1, n - placed, order, placed)
    return order


@compiled
def take_nearest(tree: Tree, X: Floats, seed: int, spare: int, size: int, order: Ints, placed: int) -> None:
    """List a seed and its size - 1 nearest (never the row `spare`) in order[placed:], and take them out of the tree."""
    distances, rows = np.empty(size), np.empty(size, dtype=np.int64)
    order[placed] = seed
    remove(tree, seed)
    if size > 1:
        nearest(tree, X[seed], spare, size - 1, distances, rows)
    for i in range(1, size):
        order[placed + i] = rows[i - 1]
        remove(tree, rows[i - 1])


# The bounds stand in the leaves of a tournament tree, bounds[half + row]; every inner node holds the larger of its two.


@compiled
def _start_bounds(X: Floats, tree: Tree) -> Floats:
    n = X.shape[0]
    half = 1
    while half < n:
        half *= 2
    bounds = np.full(2 * half, -1.0)
    for i in range(n):
        total = 0.0
        for j in range(X.shape[1]):
            t = max(tree.high[0, j] - X[i, j], X[i, j] - tree.low[0, j])
            total += t * t
        bounds[half + i] = total
    for i in range(half - 1, 0, -1):
        bounds[i] = max(bounds[2 * i], bounds[2 * i + 1])
    return bounds


@compiled
def _set_bound(bounds: Floats, row: int, bound: float) -> None:
    i = bounds.shape[0] // 2 + row
    bounds[i] = bound
    i //= 2
    while i > 0:
        bounds[i] = max(bounds[2 * i], bounds[2 * i + 1])
        i //= 2


@compiled
def _forget(bounds: Floats, order: Ints, placed: int, k: int) -> None:
    for i in range(placed, placed + k):
        _set_bound(bounds, order[i], -1.0)


@compiled
def _most_distant(X: Floats, tree: Tree, partner: Ints, bounds: Floats) -> tuple[int, int]:
    half = bounds.shape[0] // 2
    while True:
        i = 1
        while i < half:
            i = 2 * i if bounds[2 * i] >= bounds[2 * i + 1] else 2 * i + 1
        r = i - half
        s = partner[r]
        if s >= 0 and tree.there[tree.halves.place_of[s]]:
            return r, s
        partner[r], distance = farthest(tree, X[r], r)
        _set_bound(bounds, r, distance)


@compiled
def mdav_order(X: Floats, k: int, labels: Ints) -> Ints:
    """The path of MDAV from its groups in order of formation: each from its seed outwards.

    The seeds are found again: of a pair of groups the first grew around the record farthest from the centroid of all
    records left, the second around the one farthest from that record.
    """
    n = X.shape[0]
    order = np.argsort(labels, kind="mergesort")
    sums = start_sums(X)
    placed, first, seed = 0, True, -1
    while placed < n:
        size = k if n - placed >= 2 * k else n - placed
        members = order[placed : placed + size]
        # the second of a pair is seeded only where 3k records were left for both
        from_centroid = first or n - placed < 2 * k
        point = sums[0] / (n - placed) if from_centroid else X[seed]
        seed = members[0]
        largest = -1.0
        for i in members:
            distance = squared_distance(X[i], point)
            if distance > largest:
                seed, largest = i, distance
        away = np.array([squared_distance(X[i], X[seed]) for i in members])
        order[placed : placed + size] = members[np.argsort(away, kind="mergesort")]
        for i in range(placed, placed + size):
            add_to_sums(sums, X[order[i]], -1.0)
        first = not (first and n - placed >= 3 * k)
        placed += size
    return order
