"""Nearest-neighbour queries on the bounding-box tree: branch and bound, ties to the lowest row index.

The bound by the nearest corner of a box is computed by the same sequence of rounded operations as distances, and
rounding is monotone, so it never excludes a point whose computed distance is equal or better.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints, Singles
from microveil.core.compiling import compiled, inlined
from microveil.kernels.distances.exact import insert_nearest, squared_distance, squared_distances
from microveil.kernels.search.box_tree import FAN, LEAF, Tree


@compiled
def find_nearest(
    tree: Tree,
    point: Floats,
    size: int,
    nearest: Floats,
    rows: Ints,
    bounds: Floats,
    nodes: Ints,
    distances: Singles,
) -> int:
    """Write the `size` rows nearest to a point, by (distance, row), into nearest and rows.

    Returns the number of leaves looked at; the last three arguments are workspace.
    """
    box, base, first_row = tree.box, tree.base, tree.first_row
    nearest[:size] = np.inf
    rows[:size] = tree.data.shape[0]
    double = np.zeros(tree.centres.shape[1])
    double[: point.shape[0]] = point
    single = double.astype(np.float32)
    looked, cut = 0, np.float32(np.inf)
    top = base.shape[0] - 1
    level = top
    nodes[top] = 0
    _bound_below(box, base[top], double, bounds, top)
    while level <= top:
        child, bound = _smallest(bounds, level)
        last, last_row = nearest[size - 1], rows[size - 1]
        if bound > last or bound == np.inf:
            level += 1
        elif level > 1:
            bounds[level, child] = np.inf
            if bound < last or first_row[base[level] + nodes[level], child] < last_row:
                level -= 1
                nodes[level] = nodes[level + 1] * FAN + child
                _bound_below(box, base[level] + nodes[level], double, bounds, level)
        else:
            for turn in range(FAN):
                # the most promising leaf first, then its neighbours in the order of the cuts
                leaf = nodes[1] * FAN + (child ^ turn)
                bound = bounds[1, child ^ turn]
                if bound < nearest[size - 1] or (
                    bound == nearest[size - 1] and first_row[nodes[1], child ^ turn] < rows[size - 1]
                ):
                    looked += 1
                    squared_distances(tree.points, leaf, single, tree.points.shape[2], distances)
                    if _count_up_to(distances, cut) > 0:
                        cut = _look_closer(tree, leaf, point, distances, size, nearest, rows, cut)
            level = 2
    return looked


@inlined
def _bound_below(box: Floats, node: int, point: Floats, out: Floats, level: int) -> None:
    """Lower bounds of the squared distance from a point to the children of a node; infinite for an empty child."""
    fan = box.shape[2]
    for i in range(fan):
        out[level, i] = 0.0
    for j in range(0, point.shape[0], 4):
        p0, p1, p2, p3 = point[j], point[j + 1], point[j + 2], point[j + 3]
        for i in range(fan):
            t0 = _gap(box[node, 2 * j, i] - p0, p0 - box[node, 2 * j + 1, i])
            t1 = _gap(box[node, 2 * j + 2, i] - p1, p1 - box[node, 2 * j + 3, i])
            t2 = _gap(box[node, 2 * j + 4, i] - p2, p2 - box[node, 2 * j + 5, i])
            t3 = _gap(box[node, 2 * j + 6, i] - p3, p3 - box[node, 2 * j + 7, i])
            out[level, i] = (((out[level, i] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3


@inlined
def _gap(above: float, below: float) -> float:
    """The positive one of two numbers, or 0; conditional expressions become vector instructions, max does not."""
    larger = above if above > below else below  # noqa: FURB136
    return larger if larger > 0.0 else 0.0  # noqa: FURB136


@inlined
def _smallest(bounds: Floats, level: int) -> tuple[int, float]:
    """The child of smallest bound, and that bound."""
    child, bound = 0, bounds[level, 0]
    for i in range(1, FAN):
        if bounds[level, i] < bound:
            child, bound = i, bounds[level, i]
    return child, bound


@inlined
def _count_up_to(distances: Singles, cut: np.float32) -> int:
    """How many distances stay within a threshold; unlike a search this becomes vector instructions."""
    count = 0
    for i in range(distances.shape[0]):
        count += distances[i] <= cut
    return count


@compiled
def _look_closer(
    tree: Tree,
    leaf: int,
    point: Floats,
    distances: Singles,
    size: int,
    nearest: Floats,
    rows: Ints,
    cut: np.float32,
) -> np.float32:
    """Measure in double precision the points of a leaf that may be among the nearest; the new threshold."""
    for i in range(LEAF):
        if distances[i] <= cut:
            row = tree.rows[leaf, i]
            insert_nearest(nearest, rows, size, squared_distance(tree.data[row], point), row)
            far = (np.sqrt(nearest[size - 1]) + tree.error) * (1.0 + tree.relative_error)
            cut = np.float32(far * far * (1.0 + tree.relative_error))
    return cut
