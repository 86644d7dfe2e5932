"""Optimal grouping of sorted values into consecutive groups of at least k."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]


def optimal_groups(x: Float, k: int) -> Int:
    """Group of each value so that the within-group sum of squares is least among all groups of k and more.

    Groups are consecutive in the sorted values and hold k to 2k - 1 of them; numbered in that order.
    Needs k values. Reference: Hansen & Mukherjee 2003.
    """
    order = np.argsort(x, kind="stable")
    values = x[order]
    # about the middle and on unit scale: differences of prefix sums keep their digits
    spread = values[-1] - values[0]
    ends = _cuts((values - values[len(values) // 2]) / (spread if spread > 0 else 1.0), k)
    labels = np.empty(len(x), dtype=np.int64)
    labels[order] = np.searchsorted(ends, np.arange(len(x)), "right")
    return labels


@njit(cache=True, nogil=True)
def _cuts(v: Float, k: int) -> Int:
    """Where each group ends, in increasing order."""
    n = len(v)
    first = np.zeros(n + 1)
    second = np.zeros(n + 1)
    for i in range(n):
        first[i + 1] = first[i] + v[i]
        second[i + 1] = second[i] + v[i] * v[i]
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    start = np.zeros(n + 1, dtype=np.int64)
    for j in range(k, n + 1):
        for i in range(max(0, j - 2 * k + 1), j - k + 1):
            total = first[j] - first[i]
            c = cost[i] + second[j] - second[i] - total * total / (j - i)
            if c < cost[j]:
                cost[j] = c
                start[j] = i
    count = 0
    j = n
    while j > 0:
        j = start[j]
        count += 1
    ends = np.empty(count, dtype=np.int64)
    j = n
    for g in range(count - 1, -1, -1):
        ends[g] = j
        j = start[j]
    return ends
