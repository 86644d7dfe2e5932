"""Ties with the partner by sweeping through all records: where many columns leave a tree nothing to prune.

Tiles of records stand column by column, so that one instruction compares several records. Columns are added up in the
order of any other distance: sweep and tree answer alike to the last bit.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.linkage.cells import ABSOLUTE, RELATIVE

_TILE = 512  # records whose sums stay in the nearest cache
_COLUMNS = 6  # after so many it is asked whether any record of the tile is still near


def tiles_of(points: Floats) -> Floats:
    """Records in tiles, column by column; the last tile is filled up with records infinitely far away."""
    count = -(-len(points) // _TILE)
    filled = np.full((count * _TILE, points.shape[1]), np.inf)
    filled[: len(points)] = points
    return np.ascontiguousarray(filled.reshape(count, _TILE, -1).transpose(0, 2, 1))


@compiled
def ties_by_sweep(tiles: Floats, queries: Floats, counts: Ints, partner: Ints, chosen: Ints, ties: Ints) -> None:
    """Write the ties of some queries, all records being plain numbers and distances Euclidean.

    A sweep begins at the tile of the partner: records near it come first.
    """
    apart = np.empty(_TILE)
    for q in chosen:
        home = partner[q] // _TILE
        _add_up(tiles[home], queries[q], np.inf, apart)
        own = apart[partner[q] % _TILE]
        nearer, equal = own * (1.0 - RELATIVE) - ABSOLUTE, own * (1.0 + RELATIVE) + ABSOLUTE
        ties[q] = 0
        for step in range(len(tiles)):
            tile = (home + step) % len(tiles)
            if not _add_up(tiles[tile], queries[q], equal, apart):
                continue
            tied = _count(apart, counts[tile * _TILE : (tile + 1) * _TILE], nearer, equal)
            if tied < 0:
                ties[q] = 0
                break
            ties[q] += tied


@compiled
def _add_up(tile: Floats, query: Floats, most: float, apart: Floats) -> bool:
    """The squared distances of the records of a tile; False as soon as none of them can be within `most`."""
    apart[:] = 0.0
    for j in range(len(query)):
        value, column = query[j], tile[j]
        for r in range(_TILE):
            difference = column[r] - value
            apart[r] += difference * difference
        if j % _COLUMNS == _COLUMNS - 1 and not _any_within(apart, most):
            return False
    return True


@compiled
def _any_within(apart: Floats, most: float) -> bool:
    for r in range(_TILE):  # noqa: SIM110
        if apart[r] <= most:
            return True
    return False


@compiled
def _count(apart: Floats, counts: Ints, nearer: float, equal: float) -> int:
    """How many records are as near as the partner; -1 where one is nearer."""
    tied = 0
    for r in range(len(counts)):
        if apart[r] <= equal:
            if apart[r] < nearer:
                return -1
            tied += counts[r]
    return tied
