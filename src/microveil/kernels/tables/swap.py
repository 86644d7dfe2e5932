"""Random exchanges between records that leave given tables as they are."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled


@compiled
def swap_keeping_tables(a: Ints, others: Ints, sizes: Ints, draws: Floats, wanted: int, tolerance: int) -> Ints:
    """Codes `a` after random exchanges; tables of a with each column of `others` change by at most `tolerance`.

    Pairs are drawn at random; a pair that disturbs the tables is tried together with a second exchange in
    the opposite direction. `sizes`: numbers of categories of the other columns; rows of `draws` hold four
    uniform numbers, one row per trial; ends after `wanted` records have another code.
    """
    a = a.copy()
    start = a.copy()
    n, q = others.shape
    K = a.max() + 1
    offset = np.zeros(q + 1, dtype=np.int64)
    for b in range(q):
        offset[b + 1] = offset[b] + K * sizes[b]
    change = np.zeros(offset[q], dtype=np.int64)
    total = 0
    moved = 0
    order = np.argsort(a, kind="mergesort")
    first = np.searchsorted(a[order], np.arange(K + 1))
    for trial in range(len(draws)):
        if moved >= wanted:
            break
        i, j = int(draws[trial, 0] * n), int(draws[trial, 1] * n)
        if a[i] == a[j]:
            continue
        ai, aj = a[i], a[j]
        total += _exchange(i, j, a, others, offset, sizes, change)
        k = l = -1  # noqa: E741
        if total > tolerance:
            # the opposite exchange: a record that had a_j, and one that had a_i
            k = order[first[aj] + int(draws[trial, 2] * (first[aj + 1] - first[aj]))]
            l = order[first[ai] + int(draws[trial, 3] * (first[ai + 1] - first[ai]))]  # noqa: E741
            if k != j and l != i and k != i and l != j and a[k] == aj and a[l] == ai:
                total += _exchange(k, l, a, others, offset, sizes, change)
            else:
                k = -1
        if total > tolerance:
            if k >= 0:
                total += _exchange(k, l, a, others, offset, sizes, change)
            total += _exchange(i, j, a, others, offset, sizes, change)
            continue
        moved = moved + _news(i, ai, a, start) + _news(j, aj, a, start)
        if k >= 0:
            moved = moved + _news(k, aj, a, start) + _news(l, ai, a, start)
    return a


@compiled
def _news(i: int, before: int, a: Ints, start: Ints) -> int:
    """Whether a record newly differs from its start (1), no longer does (-1), or neither (0)."""
    return int(a[i] != start[i]) - int(before != start[i])


@compiled
def _exchange(i: int, j: int, a: Ints, others: Ints, offset: Ints, sizes: Ints, change: Ints) -> int:
    """Exchange the codes of two records; returns by how much the tables' total absolute change grows."""
    grown = 0
    for b in range(others.shape[1]):
        for record, sign in ((i, -1), (j, -1)):
            cell = offset[b] + a[record] * sizes[b] + others[record, b]
            grown -= abs(change[cell])
            change[cell] += sign
            grown += abs(change[cell])
    a[i], a[j] = a[j], a[i]
    for b in range(others.shape[1]):
        for record in (i, j):
            cell = offset[b] + a[record] * sizes[b] + others[record, b]
            grown -= abs(change[cell])
            change[cell] += 1
            grown += abs(change[cell])
    return grown
