"""Centres that help farthest-point queries: how far the points of each leaf reach from them.

The first centre follows the centroid, the others are put where queries cost much. When points leave, the reaches from
the others become loose; a leaf is measured anew when a query next looks at it.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Singles
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import squared_distance, squared_distances
from microveil.kernels.search.box_tree import FAN, LEAF, Tree, fit_reach


@compiled
def place_centre(tree: Tree, c: int, point: Floats, now: int) -> None:
    """Put a centre at a point and measure the reaches of all leaves and nodes."""
    tree.centres[c, : point.shape[0]] = point
    tree.uses[c] = now
    single = tree.centres[c].astype(np.float32)
    distances = np.empty(LEAF, dtype=np.float32)
    base = tree.base
    for leaf in range(tree.points.shape[0]):
        measure_reach(tree, c, leaf, single, distances)
        if c == 0:
            tree.from_first[leaf] = distances
    for level in range(2, base.shape[0]):
        for v in range(base[level] - base[level - 1]):
            tree.reach[c, base[level] + v // FAN, v % FAN] = tree.reach[c, base[level - 1] + v].max()


@compiled
def measure_reach(tree: Tree, c: int, leaf: int, single: Singles, distances: Singles) -> None:
    """Measure how far the points of a leaf reach from a centre; their distances are left in the workspace."""
    squared_distances(tree.points, leaf, single, tree.points.shape[2], distances)
    for i in range(distances.shape[0]):
        distances[i] = np.sqrt(distances[i])
    fit_reach(tree, c, leaf, distances)


@compiled
def choose_centre(tree: Tree, point: Floats) -> int:
    """The centre whose bounds for a point will be tight.

    Their slack grows with the distance. Centres but the first have points on one side only, and must be three times
    as near.
    """
    chosen, least = 0, np.inf
    for c in range(tree.centres.shape[0]):
        if tree.uses[c] >= 0:
            distance = squared_distance(point, tree.centres[c])
            handicap = distance if c == 0 else 9.0 * distance
            if handicap < least:
                chosen, least = c, handicap
    return chosen


@compiled
def free_centre(tree: Tree) -> int:
    """The centre to be given up: one that is not placed, or else the one used longest ago, but never the first."""
    given_up = 1
    for c in range(2, tree.uses.shape[0]):
        if tree.uses[c] < tree.uses[given_up]:
            given_up = c
    return given_up
