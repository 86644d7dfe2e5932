"""A bounding-box tree in arrays for points that leave one by one.

Points lie in leaves of LEAF places, stored attribute by attribute in single precision for a first look; a node has FAN
children whose boxes, in double precision, lie side by side, so that one pass bounds all of them. Boxes, lowest row
indices and the reaches from the first centre are kept tight when points leave. Node v of a level has the children
FAN * v, FAN * v + 1, ... of the level below; level 0 is the leaves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints, Singles
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import padded
from microveil.kernels.search.leaves import split_rows

LEAF = 64
FAN = 16  # a power of two
CENTRES = 64


class Tree(NamedTuple):
    """The arrays of the tree, whose attributes are padded, and of the centres of `centres.py`."""

    data: Floats  # [row, attribute]: all records
    points: Singles  # [leaf, attribute, place]; attribute 0 is NaN in an empty place
    from_first: Singles  # [leaf, place]: distance from the first centre
    rows: Ints  # [leaf, place]
    filled: Ints  # [leaf]: number of records in it
    place: Ints  # [row]: leaf * LEAF + place
    box: Floats  # [node, 2 * attribute + side, child]: smallest and largest value; +inf, -inf for an empty child
    first_row: Ints  # [node, child]: lowest row index below, n for an empty child
    base: Ints  # [level]: first node of a level in the three arrays above, from level 1
    centres: Floats  # [centre, attribute]
    uses: Ints  # [centre]: when it was last used, -1 for one that is not placed
    reach: Floats  # [centre, node, child]: no point below is farther from the centre; negative for an empty child
    measured: Ints  # [centre, leaf]: how many points were in the leaf when its reach was measured
    largest: float  # bound of the absolute values of records and of points searched for
    error: float  # a single-precision distance is off by at most `error`, and then by the factor 1 + relative_error
    relative_error: float


def fits_index(X: Floats) -> bool:
    """Whether squares of distances are single-precision numbers, as the tree needs."""
    return bool(X.min() > -1e15 and X.max() < 1e15)


@compiled
def plant(data: Floats, order: Ints) -> Tree:
    """Build the tree over the rows in `order`, which is rearranged."""
    n, d = data.shape
    width = padded(d)
    largest = max(data.max(), -data.min())
    leaves = (order.shape[0] + LEAF - 1) // LEAF
    base = _count_nodes(leaves)
    nodes = base[-1] + 1
    tree = Tree(
        data,
        np.zeros((leaves, width, LEAF), dtype=np.float32),
        np.zeros((leaves, LEAF), dtype=np.float32),
        np.full((leaves, LEAF), n),
        np.zeros(leaves, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty((nodes, 2 * width, FAN)),
        np.full((nodes, FAN), n),
        base,
        np.zeros((CENTRES, width)),
        np.full(CENTRES, -1),
        np.full((CENTRES, nodes, FAN), -1.0),
        np.zeros((CENTRES, leaves), dtype=np.int64),
        largest,
        # per attribute: the roundings of two values and of their difference by 2**-24 each, and underflow
        np.sqrt(d) * (4e-7 * largest + 1e-18),
        (d + 4) * 1.2e-7,
    )
    tree.box[:, 0::2] = np.inf
    tree.box[:, 1::2] = -np.inf
    edges = split_rows(data, order, leaves, FAN)
    for leaf in range(leaves):
        _fill_leaf(tree, leaf, order[edges[leaf] : edges[leaf + 1]])
    for j in range(width):
        _fit_nodes(tree, j)
    for level in range(2, base.shape[0]):
        for v in range(base[level] - base[level - 1]):
            tree.first_row[base[level] + v // FAN, v % FAN] = tree.first_row[base[level - 1] + v].min()
    return tree


@compiled
def _count_nodes(leaves: int) -> Ints:
    """First node of every level above the leaves, counted through; the last level has one node."""
    base = [0, 0]
    width = (leaves + FAN - 1) // FAN
    while width > 1:
        base.append(base[-1] + width)
        width = (width + FAN - 1) // FAN
    return np.array(base)


@compiled
def _fill_leaf(tree: Tree, leaf: int, members: Ints) -> None:
    """Copy the records of some rows into a leaf."""
    d = tree.data.shape[1]
    tree.filled[leaf] = members.shape[0]
    for i in range(members.shape[0]):
        row = members[i]
        tree.rows[leaf, i] = row
        tree.place[row] = leaf * LEAF + i
        for j in range(d):
            tree.points[leaf, j, i] = tree.data[row, j]
    tree.points[leaf, 0, members.shape[0] :] = np.nan
    for j in range(tree.centres.shape[1]):
        _fit_leaf(tree, leaf, j)
    tree.first_row[leaf // FAN, leaf % FAN] = tree.rows[leaf].min()


@compiled
def remove(tree: Tree, row: int) -> None:
    """Take a row out of its leaf and tighten what it had stretched."""
    leaf, i = tree.place[row] // LEAF, tree.place[row] % LEAF
    node, child = leaf // FAN, leaf % FAN
    tree.filled[leaf] -= 1
    last = tree.filled[leaf]
    moved = tree.rows[leaf, last]
    tree.rows[leaf, i] = moved
    tree.place[moved] = leaf * LEAF + i
    tree.rows[leaf, last] = tree.data.shape[0]
    for j in range(tree.data.shape[1]):
        tree.points[leaf, j, i] = tree.points[leaf, j, last]
        x = tree.data[row, j]
        if x == tree.box[node, 2 * j, child] or x == tree.box[node, 2 * j + 1, child]:
            _fit_leaf(tree, leaf, j)
            _tighten(tree, leaf, j, x)
    tree.points[leaf, 0, last] = np.nan
    distance = tree.from_first[leaf, i]
    tree.from_first[leaf, i] = tree.from_first[leaf, last]
    if round_up(tree, distance) >= tree.reach[0, node, child]:
        fit_reach(tree, 0, leaf, tree.from_first[leaf])
        carry_reach_up(tree, 0, node)
    _raise_first_row(tree, leaf, row)


@compiled
def _fit_leaf(tree: Tree, leaf: int, j: int) -> None:
    """Range of attribute j in a leaf, in double precision; padding is zero."""
    least, most = np.inf, -np.inf
    for i in range(tree.filled[leaf]):
        x = tree.data[tree.rows[leaf, i], j] if j < tree.data.shape[1] else 0.0
        least = min(least, x)
        most = max(most, x)
    tree.box[leaf // FAN, 2 * j, leaf % FAN] = least
    tree.box[leaf // FAN, 2 * j + 1, leaf % FAN] = most


@compiled
def _fit_nodes(tree: Tree, j: int) -> None:
    """Ranges of attribute j in all nodes above the leaves."""
    for level in range(2, tree.base.shape[0]):
        below = tree.base[level - 1]
        for v in range(tree.base[level] - below):
            tree.box[tree.base[level] + v // FAN, 2 * j, v % FAN] = tree.box[below + v, 2 * j].min()
            tree.box[tree.base[level] + v // FAN, 2 * j + 1, v % FAN] = tree.box[below + v, 2 * j + 1].max()


@compiled
def _tighten(tree: Tree, leaf: int, j: int, x: float) -> None:
    """Carry the loss of an extreme value x of attribute j upwards, as far as it was the extreme."""
    v = leaf // FAN
    for level in range(2, tree.base.shape[0]):
        node, child = tree.base[level] + v // FAN, v % FAN
        if x != tree.box[node, 2 * j, child] and x != tree.box[node, 2 * j + 1, child]:
            return
        tree.box[node, 2 * j, child] = tree.box[tree.base[level - 1] + v, 2 * j].min()
        tree.box[node, 2 * j + 1, child] = tree.box[tree.base[level - 1] + v, 2 * j + 1].max()
        v //= FAN


@compiled
def _raise_first_row(tree: Tree, leaf: int, row: int) -> None:
    """Carry the loss of a lowest row index upwards, as far as it was the lowest."""
    v = leaf
    lowest = tree.rows[leaf].min() if tree.first_row[leaf // FAN, leaf % FAN] == row else -1
    for level in range(1, tree.base.shape[0]):
        node, child = tree.base[level] + v // FAN, v % FAN
        if tree.first_row[node, child] != row:
            return
        tree.first_row[node, child] = lowest
        lowest = tree.first_row[node].min()
        v //= FAN


@compiled
def round_up(tree: Tree, distance: float) -> float:
    """A distance measured in single precision, enlarged by its possible error."""
    return distance * (1.0 + tree.relative_error) + tree.error


@compiled
def fit_reach(tree: Tree, c: int, leaf: int, distances: Singles) -> None:
    """Set the reach of a leaf from a centre to the largest distance of its points."""
    most = -1.0
    for i in range(tree.filled[leaf]):
        most = max(most, distances[i])
    tree.reach[c, leaf // FAN, leaf % FAN] = round_up(tree, most) if tree.filled[leaf] > 0 else -1.0
    tree.measured[c, leaf] = tree.filled[leaf]


@compiled
def carry_reach_up(tree: Tree, c: int, v: int) -> None:
    """Carry new reaches of the leaves below node v of level 1 upwards, as far as they change anything."""
    for level in range(2, tree.base.shape[0]):
        node, child = tree.base[level] + v // FAN, v % FAN
        most = tree.reach[c, tree.base[level - 1] + v].max()
        if tree.reach[c, node, child] == most:
            return
        tree.reach[c, node, child] = most
        v //= FAN
