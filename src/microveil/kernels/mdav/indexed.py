"""MDAV through a tree that supports deletion, farthest-point and nearest-neighbour queries.

Use it for any file of more than a few hundred records: the partition is that of the plain engine, label by label.
Reference: Domingo-Ferrer & Torra (2005), Data Mining and Knowledge Discovery 11.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import add_to_sums, padded
from microveil.kernels.search.box_tree import FAN, LEAF, Tree, plant, remove
from microveil.kernels.search.centres import choose_centre, free_centre, place_centre
from microveil.kernels.search.farthest import find_farthest
from microveil.kernels.search.nearest import find_nearest

# Distances and centroids are computed as in the plain engine, operation by operation, and (distance, row) pairs are
# compared, so ties are broken alike; bounds of the index are widened by what rounding can do.
# Rounds after which the work of the index is compared with that of full scans
WINDOW = 16
# Leaves looked at by a farthest-point query that no further centre could save
CHEAP = 32
# Centres placed in vain before placing them becomes rarer
IN_VAIN = 16


@compiled
def search_rounds(
    X: Floats, k: int, labels: Ints, sums: Floats, label: int, left: int, patient: bool
) -> tuple[int, int, bool]:
    """Form groups among the `left` records whose label is negative, until half of them are grouped.

    Returns the next label, the number of records left, and whether the index was worth its work; unless `patient` it
    stops when it was not. `sums` are the running sums of the records left.
    """
    planted = left
    tree = plant(X, np.flatnonzero(labels < 0))
    place_centre(tree, 0, sums[0] / left, 0)
    bounds = np.empty((16, FAN))
    nodes = np.empty(16, dtype=np.int64)
    distances = np.empty(LEAF, dtype=np.float32)
    nearest = np.empty(k)
    members = np.empty(k, dtype=np.int64)
    leaves = tree.points.shape[0]
    patience = 2 * leaves
    around_centre, elsewhere, in_vain, looked, rounds = 0, 0, 0, 0, 0
    while left >= 2 * k and 2 * left >= planted:
        if around_centre > leaves:
            # the centroid has moved: looking around its old place has cost as much as measuring all points anew
            place_centre(tree, 0, sums[0] / left, 0)
            around_centre = 0
        r, seen = find_farthest(tree, sums[0] / left, 0, bounds, nodes, distances)
        around_centre += seen
        looked += seen
        remove(tree, r)
        s = -1
        if left >= 3 * k:
            c = choose_centre(tree, X[r])
            if c > 0:
                tree.uses[c], in_vain = label, 0
            s, seen = find_farthest(tree, X[r], c, bounds, nodes, distances)
            looked += seen
            remove(tree, s)
            elsewhere += max(seen - CHEAP, 0)
            if elsewhere > patience:
                # seeds around here will come again: their queries cost less with a centre nearby
                place_centre(tree, free_centre(tree), X[r], label)
                in_vain += 1
                patience = 2 * patience if in_vain > IN_VAIN else 2 * leaves
                elsewhere = 0
        for seed in (r, s):
            if seed >= 0:
                looked += find_nearest(tree, X[seed], k - 1, nearest, members, bounds, nodes, distances)
                _close_group(X, tree, seed, members, label, labels, sums)
                left -= k
                label += 1
        rounds += 1
        if rounds == WINDOW:
            if not patient and not _is_worth(looked, left, k, X.shape[1]):
                return label, left, False
            looked, rounds = 0, 0
    return label, left, True


@compiled
def _is_worth(looked: int, left: int, k: int, d: int) -> bool:
    """Whether a window of rounds cost less than by full scans; the costs are rough measurements in nanoseconds."""
    width = padded(d)
    by_index = WINDOW * (3000.0 + 1400.0 * k) + looked * (50.0 + 7.0 * width)
    by_scans = WINDOW * left * (2.3 + 0.385 * width)
    return by_index < by_scans


@compiled
def _close_group(X: Floats, tree: Tree, seed: int, members: Ints, label: int, labels: Ints, sums: Floats) -> None:
    """Label a seed, already out of the tree, and its k-1 members, and take these out."""
    labels[seed] = label
    add_to_sums(sums, X[seed], -1.0)
    for m in range(members.shape[0] - 1):
        row = members[m]
        remove(tree, row)
        labels[row] = label
        add_to_sums(sums, X[row], -1.0)
