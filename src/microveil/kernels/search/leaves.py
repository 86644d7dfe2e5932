"""Arrange records into leaves of neighbours by cutting ranges of rows across their widest attribute."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled


@compiled
def split_rows(X: Floats, order: Ints, leaves: int, fan: int) -> Ints:
    """Arrange the rows so that leaves hold neighbours; the first place of each leaf, and the end.

    Ranges are cut across their widest attribute, at multiples of whole subtrees of `fan` children, so that every
    node but the last of a level is full. Equal values are cut by row index.
    """
    n = order.shape[0]
    edges = np.empty(leaves + 1, dtype=np.int64)
    for leaf in range(leaves + 1):
        edges[leaf] = leaf * n // leaves
    keys = np.empty(n)
    stack = np.empty((128, 2), dtype=np.int64)
    stack[0] = 0, leaves
    top = 1
    while top > 0:
        top -= 1
        first, last = stack[top]
        if last - first == 1:
            continue
        whole = 1
        while whole * fan < last - first:
            whole *= fan
        middle = first + max(1, (last - first + whole) // (2 * whole)) * whole
        start, stop = edges[first], edges[last]
        j = widest(X, order[start:stop])
        for i in range(start, stop):
            keys[i] = X[order[i], j]
        select(keys[start:stop], order[start:stop], edges[middle] - start)
        stack[top] = first, middle
        stack[top + 1] = middle, last
        top += 2
    return edges


@compiled
def widest(X: Floats, rows: Ints) -> int:
    """The attribute of largest range among some rows, the first of several."""
    low, high = X[rows[0]].copy(), X[rows[0]].copy()
    for i in range(1, rows.shape[0]):
        for j in range(X.shape[1]):
            x = X[rows[i], j]
            low[j] = min(low[j], x)
            high[j] = max(high[j], x)
    chosen, largest = 0, -1.0
    for j in range(X.shape[1]):
        if high[j] - low[j] > largest:  # never true of a range without ends
            chosen, largest = j, high[j] - low[j]
    return chosen


@compiled
def select(keys: Floats, rows: Ints, middle: int) -> None:
    """Quickselect by (key, row): afterwards the places before `middle` hold the smaller pairs."""
    left, right = 0, keys.shape[0] - 1
    while left < right:
        pivot = (left + right) // 2
        key, row = keys[pivot], rows[pivot]
        i, j = left, right
        while i <= j:
            while keys[i] < key or (keys[i] == key and rows[i] < row):
                i += 1
            while keys[j] > key or (keys[j] == key and rows[j] > row):
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                rows[i], rows[j] = rows[j], rows[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return
