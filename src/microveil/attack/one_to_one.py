"""Matching sought and released records one to one, where the files are small enough for it."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints

_MOST_PAIRS = 9_000_000  # of records; more take minutes


def can_match(pairs: int) -> bool:
    """Whether so many pairs of records are few enough."""
    return pairs <= _MOST_PAIRS


def match_one_to_one(cost: Floats, never: float = np.inf) -> Ints:
    """A released record (column) of each sought one (row), none twice, at least total cost; -1 where none is left.

    What costs `never` is as good as none.

    >>> match_one_to_one(np.array([[1.0, 5.0], [0.0, 2.0], [9.0, 9.0]]), never=9.0).tolist()
    [0, 1, -1]
    """
    from scipy.optimize import linear_sum_assignment

    rows, chosen = linear_sum_assignment(cost)
    found = np.full(len(cost), -1, dtype=np.int64)
    found[rows] = np.where(cost[rows, chosen] < never, chosen, -1)
    return found
