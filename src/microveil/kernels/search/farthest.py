"""Farthest-point queries on the bounding-box tree: branch and bound, ties to the lowest row index.

A first bound and the first look at the points of a leaf are loose by more than their rounding error. The bound by
the farthest corner of a box is computed by the same sequence of rounded operations as distances, and rounding is
monotone, so it never excludes a point whose computed distance is equal or better.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints, Singles
from microveil.core.compiling import compiled, inlined
from microveil.kernels.distances.exact import squared_distance, squared_distances
from microveil.kernels.search.box_tree import FAN, LEAF, Tree, carry_reach_up
from microveil.kernels.search.centres import measure_reach


@compiled
def find_farthest(
    tree: Tree, point: Floats, c: int, bounds: Floats, nodes: Ints, distances: Singles
) -> tuple[int, int]:
    """The row farthest from a point, and the number of leaves looked at, with the help of centre c.

    The last three arguments are workspace.
    """
    box, base, first_row = tree.box, tree.base, tree.first_row
    single, towards, corner, cap, loose = _prepare(tree, point, c)
    single_centre = tree.centres[c].astype(np.float32)
    looked, best, best_row, cut = 0, -1.0, tree.data.shape[0], np.float32(-1.0)
    top = base.shape[0] - 1
    level = top
    nodes[top] = 0
    _bound_above(box, base[top], towards, corner, cap, tree.reach, c, bounds, top)
    while level <= top:
        child, bound = _largest(bounds, level)
        if bound < best or bound < 0.0:
            level += 1
        elif level > 1:
            bounds[level, child] = -1.0
            if bound > 1.0001 * best + loose or _may_beat(
                box, first_row, base[level] + nodes[level], child, point, best, best_row
            ):
                level -= 1
                nodes[level] = nodes[level + 1] * FAN + child
                node = base[level] + nodes[level]
                _bound_above(box, node, towards, corner, cap, tree.reach, c, bounds, level)
        else:
            loose_reach = False
            for turn in range(FAN):
                # the most promising leaf first, then its neighbours in the order of the cuts
                leaf = nodes[1] * FAN + (child ^ turn)
                bound = bounds[1, child ^ turn]
                if bound >= best and (
                    bound > 1.0001 * best + loose
                    or _may_beat(box, first_row, nodes[1], child ^ turn, point, best, best_row)
                ):
                    looked += 1
                    squared_distances(tree.points, leaf, single, tree.points.shape[2], distances)
                    if _count_from(distances, cut) > 0:
                        best, best_row, cut = _look_closer(tree, leaf, point, distances, best, best_row, cut)
                    if c > 0 and tree.measured[c, leaf] != tree.filled[leaf]:
                        measure_reach(tree, c, leaf, single_centre, distances)
                        loose_reach = True
            if loose_reach:
                carry_reach_up(tree, c, nodes[1])
            level = 2
    return best_row, looked


@compiled
def _prepare(tree: Tree, point: Floats, c: int) -> tuple[Singles, Floats, Ints, float, float]:
    """What the bounds need to know of a point q: see `_bound_above`; the last is more than the slack of its bounds."""
    d, width = point.shape[0], tree.centres.shape[1]
    single = np.zeros(width, dtype=np.float32)
    towards = np.zeros(width)
    corner = 2 * np.arange(width)
    cap, slack, square = 0.0, 0.0, 0.0
    for j in range(d):
        single[j] = point[j]
        towards[j] = point[j] - tree.centres[c, j]
        if towards[j] < 0.0:
            corner[j] += 1
        square += towards[j] * towards[j]
        cap += towards[j] * (point[j] + tree.centres[c, j])
        slack += abs(towards[j])
    cap += 1e-13 * d * tree.largest * slack
    return single, towards, corner, cap, 1e-4 * square + 4.0 * tree.error * tree.error


@inlined
def _bound_above(
    box: Floats,
    node: int,
    towards: Floats,
    corner: Ints,
    cap: float,
    reach: Floats,
    c: int,
    out: Floats,
    level: int,
) -> None:
    """Upper bounds of the squared distance from a point q to the children of a node; -1 for an empty child.

    With centre c as origin |x - q|^2 <= max |x|^2 + |q|^2 - 2 min x.q, the minimum taken at a corner of the box;
    `reach` has max |x|, `towards` is q - c, and `cap` is |q - c|^2 + 2 c.(q - c) plus slack, so that boxes need not be
    shifted.
    """
    width, fan = towards.shape[0], box.shape[2]
    for i in range(fan):
        out[level, i] = 0.0
    for j in range(0, width, 4):
        c0, c1, c2, c3 = corner[j], corner[j + 1], corner[j + 2], corner[j + 3]
        t0, t1, t2, t3 = towards[j], towards[j + 1], towards[j + 2], towards[j + 3]
        for i in range(fan):
            along = box[node, c0, i] * t0 + box[node, c1, i] * t1
            out[level, i] += along + (box[node, c2, i] * t2 + box[node, c3, i] * t3)
    for i in range(fan):
        most = reach[c, node, i]
        bound = (most * most + cap) - 2.0 * out[level, i]
        out[level, i] = bound if most >= 0.0 else -1.0


@inlined
def _largest(bounds: Floats, level: int) -> tuple[int, float]:
    """The child of largest bound, and that bound."""
    child, bound = 0, bounds[level, 0]
    for i in range(1, FAN):
        if bounds[level, i] > bound:
            child, bound = i, bounds[level, i]
    return child, bound


@compiled
def _may_beat(box: Floats, first_row: Ints, node: int, child: int, point: Floats, best: float, best_row: int) -> bool:
    """Whether the box of a child can hold a point that is farther than the best, or as far with a lower row index."""
    bound = 0.0
    for j in range(point.shape[0]):
        t = max(box[node, 2 * j + 1, child] - point[j], point[j] - box[node, 2 * j, child])
        bound += t * t
    return bound > best or (bound == best and first_row[node, child] < best_row)


@inlined
def _count_from(distances: Singles, cut: np.float32) -> int:
    """How many distances reach a threshold; unlike a search this becomes vector instructions."""
    count = 0
    for i in range(distances.shape[0]):
        count += distances[i] >= cut
    return count


@compiled
def _look_closer(
    tree: Tree, leaf: int, point: Floats, distances: Singles, best: float, best_row: int, cut: np.float32
) -> tuple[float, int, np.float32]:
    """Measure in double precision the points of a leaf that may beat the best; the new best and threshold."""
    for i in range(LEAF):
        if distances[i] >= cut:
            row = tree.rows[leaf, i]
            distance = squared_distance(tree.data[row], point)
            if distance > best or (distance == best and row < best_row):
                best, best_row = distance, row
                near = max(np.sqrt(best) - tree.error, 0.0) * (1.0 - tree.relative_error)
                cut = np.float32(near * near * (1.0 - tree.relative_error))
    return best, best_row, cut
