"""Lists of near records, exact where that is cheap and from several spatial cuts where it is not."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints, Singles, SmallInts
from microveil.core.compiling import compiled
from microveil.kernels.search.blocks import cut_at_medians

_EXACT_RECORDS = 6_000  # beyond this, the tree costs more than it gains
_EXACT_COLUMNS = 4
_BLOCK = 160
_CUTS = 4


def near_records(X: Floats, count: int, generator: np.random.Generator) -> SmallInts:
    """`count` near records of each record, nearest first (fewer if there are not so many others).

    Exact by a k-d tree for few records or few columns. Otherwise the nearest within blocks of several
    median cuts along randomly rotated axes: most of the true neighbours, in time linear but for the cuts.
    """
    n, d = X.shape
    count = min(count, n - 1)
    if n <= _EXACT_RECORDS or d <= _EXACT_COLUMNS:
        return _nearest_by_tree(X, count)
    neighbours = np.full((n, count), -1, np.int32)
    squares = np.full((n, count), np.inf, np.float32)
    for cut in range(_CUTS):
        order = np.arange(n, dtype=np.int64)
        axes = np.eye(d) if cut == 0 else np.linalg.qr(generator.standard_normal((d, d)))[0]
        starts = cut_at_medians(X, order, max(_BLOCK, 2 * (count + 1)), axes)
        _search_blocks(X, order, starts, neighbours, squares)
    return neighbours


def _nearest_by_tree(X: Floats, count: int) -> SmallInts:
    from scipy.spatial import cKDTree

    n = X.shape[0]
    found = cKDTree(X).query(X, count + 1)[1].reshape(n, count + 1)
    others = found != np.arange(n)[:, None]
    # with many duplicates a record may be missing from its own list: then the farthest is left out
    others[others.all(axis=1), -1] = False
    return np.ascontiguousarray(found[others].reshape(n, count).astype(np.int32))


@compiled
def _search_blocks(X: Floats, order: Ints, starts: Ints, neighbours: SmallInts, squares: Singles) -> None:
    """Enter the nearest records of the same block into the lists."""
    for block in range(starts.shape[0] - 1):
        for p in range(starts[block], starts[block + 1]):
            i = order[p]
            for q in range(p + 1, starts[block + 1]):
                j = order[q]
                square = 0.0
                for f in range(X.shape[1]):
                    difference = X[i, f] - X[j, f]
                    square += difference * difference
                _enter(neighbours[i], squares[i], j, square)
                _enter(neighbours[j], squares[j], i, square)


@compiled
def _enter(records: SmallInts, squares: Singles, j: int, square: float) -> None:
    """Insert record j into one sorted list unless it is too far or already there."""
    last = records.shape[0] - 1
    if square >= squares[last]:
        return
    for p in range(last + 1):
        if records[p] == j:
            return
    p = last
    while p > 0 and squares[p - 1] > square:
        records[p] = records[p - 1]
        squares[p] = squares[p - 1]
        p -= 1
    records[p] = j
    squares[p] = square
