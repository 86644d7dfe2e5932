"""The released record nearest to each known one, by columns of any kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.attack.held_values import HeldValues
from microveil.attack.side_by_side import find_least_distance, scaled
from microveil.core.arrays import Floats
from microveil.data.table import Table
from microveil.measure.sampling import drawn_rows

_MOST_SOUGHT = 2_000  # known records; in larger files some of them tell the share
_FEWEST_SOUGHT = 100
_MOST_COMPARED = 1 << 28  # known records times released ones, one by one
_BLOCK = 1 << 22


def share_own_nearest(known: Table, released: Table, classes: Sequence[HeldValues] = ()) -> Floats:
    """For known records, 1 / the number of nearest released ones if its own (of the same row) is among them.

    With `classes` only such records are looked at whose classes hold the known values.
    """
    X, Y = (
        np.column_stack([part for name in known.names for part in scaled(side[name], known[name])])
        for side in (known, released)
    )
    if classes:
        return _among_agreeing(X, Y, classes)
    distinct, of_row, sizes = np.unique(Y, axis=0, return_inverse=True, return_counts=True)
    sought = drawn_rows(np.arange(len(X)), _MOST_SOUGHT, "sought among combined records")
    least = find_least_distance(X[sought], distinct)
    own = np.sqrt(((X[sought] - Y[sought]) ** 2).sum(axis=1))
    near = own <= least * (1 + 1e-9) + 1e-12
    return np.where(near, 1.0 / sizes[of_row.reshape(-1)[sought]], 0.0)


def _among_agreeing(X: Floats, Y: Floats, classes: Sequence[HeldValues]) -> Floats:
    """The same among the records whose classes hold what is known, compared one by one."""
    from scipy.spatial.distance import cdist

    most = min(_MOST_SOUGHT, max(_FEWEST_SOUGHT, _MOST_COMPARED // max(len(Y), 1)))
    sought = drawn_rows(np.arange(len(X)), most, "sought among combined records")
    found = []
    for rows in np.array_split(sought, -(-len(sought) * len(Y) // _BLOCK)):
        away = cdist(X[rows], Y)
        own = away[np.arange(len(rows)), rows]
        fits = np.all([one.agree(rows) for one in classes], axis=0)
        least = np.where(fits, away, np.inf).min(axis=1)
        bound = least * (1 + 1e-9) + 1e-12
        as_near = (fits & (away <= bound[:, None])).sum(axis=1)
        mine = fits[np.arange(len(rows)), rows] & (own <= bound)
        found.append(np.where(mine, 1.0 / np.maximum(as_near, 1), 0.0))
    return np.concatenate(found)
