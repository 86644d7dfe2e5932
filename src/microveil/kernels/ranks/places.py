"""Ranks of values among sorted ones."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled


@compiled
def rank_intervals(ordered: Floats, asked: Floats, order: Ints) -> tuple[Ints, Ints]:
    """The least and the largest rank, from 0, of values among ordered ones; those asked for in their own order.

    One that is not among them stands between two: its largest rank is one less than its least.
    """
    n = len(ordered)
    first, last = np.empty(len(asked), np.int64), np.empty(len(asked), np.int64)
    low = high = 0
    for i in range(len(asked)):
        value = asked[i]
        while low < n and ordered[low] < value:
            low += 1
        high = max(high, low)
        while high < n and ordered[high] == value:
            high += 1
        first[order[i]], last[order[i]] = low, high - 1
    return first, last
