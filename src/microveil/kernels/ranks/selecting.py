"""One value of a given rank, without sorting all of them."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled

_ROUNDS = 60  # after so many rounds, which luck does not explain, the rest is sorted


@compiled
def select_in_place(x: Floats, rank: int) -> float:
    """The value of this rank, from 0; the values are moved. Many equal ones do no harm."""
    low, high = 0, len(x) - 1
    for _ in range(_ROUNDS):
        if low >= high:
            return float(x[rank])
        pivot = _middle(x[low], x[(low + high) // 2], x[high])
        i, j = low, high
        while i <= j:
            while x[i] < pivot:
                i += 1
            while x[j] > pivot:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i, j = i + 1, j - 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            return pivot
    return float(np.sort(x[low : high + 1])[rank - low])


@compiled
def select_counted(x: Floats, counts: Ints, rank: int) -> float:
    """The value of this rank where each value occurs so many times; values and counts are moved."""
    low, high, before = 0, len(x) - 1, 0
    for _ in range(_ROUNDS):
        if low >= high:
            return float(x[low])
        pivot = _middle(x[low], x[(low + high) // 2], x[high])
        i, j = low, high
        while i <= j:
            while x[i] < pivot:
                i += 1
            while x[j] > pivot:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                counts[i], counts[j] = counts[j], counts[i]
                i, j = i + 1, j - 1
        left = before + counts[low : j + 1].sum()
        if rank < left:
            high = j
        elif rank < left + counts[j + 1 : i].sum():
            return float(pivot)
        else:
            low, before = i, left + counts[j + 1 : i].sum()
    order = low + np.argsort(x[low : high + 1])
    return float(x[order[np.searchsorted(before + np.cumsum(counts[order]), rank, "right")]])


@compiled
def _middle(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))
