"""Many small tables of costs, each assigned one to one at least total cost."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints

_SMALL = 8  # members up to which all sets of them are gone through
_CELLS = 4_000_000  # held at a time


def assign_each(cost: Floats) -> tuple[Floats, Ints]:
    """The least total of each table (n, s, s), and for each of its rows the column that it is assigned.

    >>> total, chosen = assign_each(np.array([[[1.0, 5.0], [0.0, 2.0]]]))
    >>> total.tolist(), chosen.tolist()
    ([3.0], [[0, 1]])
    """
    tables, size = cost.shape[0], cost.shape[1]
    if size > _SMALL:
        return _by_hungarian(cost)
    step = max(_CELLS >> size, 1)
    parts = [_by_sets(cost[start : start + step]) for start in range(0, max(tables, 1), step)]
    return np.concatenate([total for total, _ in parts]), np.concatenate([chosen for _, chosen in parts])


def _by_sets(cost: Floats) -> tuple[Floats, Ints]:
    """The least cost of assigning the first rows to each set of as many columns, from smaller sets to larger ones."""
    tables, size = cost.shape[0], cost.shape[1]
    least = np.full((1 << size, tables), np.inf)
    last = np.zeros((1 << size, tables), dtype=np.int64)
    least[0] = 0.0
    for taken in range(1, 1 << size):
        row = taken.bit_count() - 1
        for column in range(size):
            if taken >> column & 1:
                total = least[taken ^ (1 << column)] + cost[:, row, column]
                better = total < least[taken]
                least[taken] = np.where(better, total, least[taken])
                last[taken] = np.where(better, column, last[taken])
    chosen = np.empty((tables, size), dtype=np.int64)
    left = np.full(tables, (1 << size) - 1)
    for row in range(size - 1, -1, -1):
        chosen[:, row] = last[left, np.arange(tables)]
        left ^= 1 << chosen[:, row]
    return least[-1], chosen


def _by_hungarian(cost: Floats) -> tuple[Floats, Ints]:
    from scipy.optimize import linear_sum_assignment

    chosen = np.array([linear_sum_assignment(table)[1] for table in cost], dtype=np.int64).reshape(cost.shape[:2])
    return np.take_along_axis(cost, chosen[:, :, None], axis=2).sum(axis=(1, 2)), chosen
