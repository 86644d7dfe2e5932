"""Distinct rows that become equal when their codes are generalised, by one whole number for each row."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import AnyInts, Ints
from microveil.core.compiling import compiled


@compiled
def row_keys(codes: AnyInts, rows: Ints, columns: Ints, tables: Ints) -> Ints:
    """The key of each of these rows: the sum over these columns of what their tables hold for the code.

    Tables hold generalised codes times what the columns before them take, so that equal keys are equal rows.
    """
    keys = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        key = np.int64(0)
        for j in range(len(columns)):
            key += tables[j, codes[rows[i], columns[j]]]
        keys[i] = key
    return keys


@compiled
def number_keys(keys: Ints, space: int) -> tuple[Ints, Ints]:
    """The number of each key (from 0, in the order in which they first come) and where each number first occurs.

    Keys are at least 0 and below `space`, or any where that is 0.
    """
    n = len(keys)
    labels = np.empty(n, dtype=np.int64)
    first = np.empty(n, dtype=np.int64)
    found = 0
    if 0 < space <= 4 * n + 1024:
        number = np.full(space, -1, dtype=np.int64)
        for i in range(n):
            if number[keys[i]] < 0:
                number[keys[i]] = found
                first[found] = i
                found += 1
            labels[i] = number[keys[i]]
        return labels, first[:found].copy()
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    size = 1 << bits
    slots = np.full(size, -1, dtype=np.int64)
    for i in range(n):
        mixed = np.uint64(keys[i]) * np.uint64(0x9E3779B97F4A7C15)
        at = np.int64(mixed >> np.uint64(64 - bits))
        while slots[at] >= 0 and keys[first[slots[at]]] != keys[i]:
            at = (at + 1) & (size - 1)
        if slots[at] < 0:
            slots[at] = found
            first[found] = i
            found += 1
        labels[i] = slots[at]
    return labels, first[:found].copy()
