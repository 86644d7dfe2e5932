"""One-to-one assignment of records to one of their nearest few, at least total distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microveil.core.compiling import compiled

Int = NDArray[np.int64]
Float = NDArray[np.float64]

_PRECISION = 1e-3


def assign_candidates(near: Int, cost: Float, targets: int) -> Int:
    """The target of each row among its candidates `near` (columns by rising `cost`), or -1; no target twice.

    A row that every candidate would cost more than its farthest one stays without a target. The total is
    within 0.1 % of the median cost of nearest candidates per row of the least possible (auction algorithm; Bertsekas
    1988): of skewed costs the mean would be too coarse for most rows.
    """
    apart = cost[:, 0][cost[:, 0] > 0]
    # all distances zero: any unit does
    unit = _PRECISION * (float(np.median(apart)) if len(apart) else 1.0)
    return np.asarray(_auction(np.ascontiguousarray(near), np.ascontiguousarray(cost), targets, unit))


@compiled
def _auction(near: Int, cost: Float, targets: int, unit: float) -> Int:
    n, k = near.shape
    price = np.zeros(targets)
    owner = np.full(targets, -1, dtype=np.int64)
    chosen = np.full(n, -1, dtype=np.int64)
    waiting = np.arange(n)
    count = n
    while count > 0:
        count -= 1
        i = waiting[count]
        # staying without a target costs what the farthest candidate does
        best, second, which = cost[i, k - 1] + unit, cost[i, k - 1] + unit, -1
        for c in range(k):
            if cost[i, c] >= second:
                break
            total = cost[i, c] + price[near[i, c]]
            if total < best:
                best, second, which = total, best, near[i, c]
            elif total < second:
                second = total
        if which < 0:
            continue
        price[which] += second - best + unit
        chosen[i] = which
        if owner[which] >= 0:
            chosen[owner[which]] = -1
            waiting[count] = owner[which]
            count += 1
        owner[which] = i
    return chosen
