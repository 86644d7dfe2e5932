"""The released record nearest to each known one, by columns of any kind."""

from __future__ import annotations

import numpy as np

from microveil.attack.side_by_side import find_least_distance, scaled
from microveil.core.arrays import Floats
from microveil.data.table import Table
from microveil.measure.sampling import drawn_rows

_MOST_SOUGHT = 2_000  # known records; in larger files some of them tell the share


def share_own_nearest(known: Table, released: Table) -> Floats:
    """For known records, 1 / the number of nearest released ones if its own (of the same row) is among them."""
    X, Y = (
        np.column_stack([part for name in known.names for part in scaled(side[name], known[name])])
        for side in (known, released)
    )
    distinct, of_row, sizes = np.unique(Y, axis=0, return_inverse=True, return_counts=True)
    sought = drawn_rows(np.arange(len(X)), _MOST_SOUGHT, "sought among combined records")
    least = find_least_distance(X[sought], distinct)
    own = np.sqrt(((X[sought] - Y[sought]) ** 2).sum(axis=1))
    near = own <= least * (1 + 1e-9) + 1e-12
    return np.where(near, 1.0 / sizes[of_row.reshape(-1)[sought]], 0.0)
