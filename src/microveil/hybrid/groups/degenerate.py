"""Groups that come back as they were, because nothing in them differs that could be drawn anew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microveil.core.arrays import Bools, Labels, Matrix
from microveil.data.matrices import indicators
from microveil.data.table import Table

Find = Callable[[Labels], Bools]


def constant_columns_of_groups(table: Table, labels: Labels) -> Bools:
    """Which columns have one value only in a group: one row for each group."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    first = (np.cumsum(sizes) - sizes)[sizes > 0]
    out = np.ones((len(sizes), len(table.names)), dtype=np.bool_)
    for j, name in enumerate(table.names):
        values = table[name].data[order]
        out[sizes > 0, j] = np.minimum.reduceat(values, first) == np.maximum.reduceat(values, first)
    return out


def degenerate_among(table: Table, numbers: Table, given: Table | None) -> Find:
    """Marks the groups in which every column is constant or, for numbers, determined by the columns given."""
    from microveil.kernels.draws.groups import determined_columns

    T, S = numbers.matrix(), None if given is None else indicators(given, table.rows)
    where = [table.names.index(name) for name in numbers.names]

    def find(labels: Labels) -> Bools:
        still = constant_columns_of_groups(table, labels)
        if S is not None:
            still[:, where] |= determined_columns(T, S, labels)
        return np.asarray(still.all(axis=1))

    return find


def merge_degenerate(labels: Labels, find: Find, points: Callable[[], Matrix]) -> tuple[Labels, tuple[str, ...]]:
    """Degenerate groups joined to the nearest group until there are none, with a note if there were.

    They join groups that are not degenerate, which makes the union not degenerate either; only where all are, they
    join one another first. Groups are numbered from 0 without gaps.
    """
    bad = find(labels)
    if not bad.any():
        return labels, ()
    merged = "1 group" if bad.sum() == 1 else f"{int(bad.sum())} groups"
    note = f"{merged} in which nothing would have changed {'was' if bad.sum() == 1 else 'were'} merged with the nearest"
    X = points()
    while bad.any() and len(bad) > 1:
        labels = _joined_to_nearest(labels, bad, X)
        bad = find(labels)
    return labels, (note,)


def _joined_to_nearest(labels: Labels, bad: Bools, X: Matrix) -> Labels:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    groups = len(bad)
    sizes = np.bincount(labels, minlength=groups)[:, None]
    centroids = np.column_stack([np.bincount(labels, weights=column, minlength=groups) for column in X.T]) / sizes
    joining = np.flatnonzero(bad)
    if bad.all():
        # the second nearest: the nearest is the group itself, or one at the same place
        near = cKDTree(centroids).query(centroids[joining], k=2)[1]
        to = np.where(near[:, 0] == joining, near[:, 1], near[:, 0])
    else:
        others = np.flatnonzero(~bad)
        to = others[cKDTree(centroids[others]).query(centroids[joining])[1]]
    links = coo_matrix((np.ones(len(joining)), (joining, to)), shape=(groups, groups))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)[labels]
