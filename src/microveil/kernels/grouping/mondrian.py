"""Mondrian: a file halved again and again at the median of its most spread attribute.

Reference: LeFevre, DeWitt & Ramakrishnan (2006), Mondrian multidimensional k-anonymity.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def mondrian_groups(X: Float, nominal: Bool, k: int, strict: bool, by_entropy: bool) -> Int:
    """Halves of halves with at least k records each; groups are numbered from low to high values.

    Strict: equal values of the attribute that is cut stay on one side, so that groups are disjoint boxes; otherwise
    ties are divided by row and no group has 2k records or more. The spread is the range, of a nominal attribute the
    share of its categories, or the entropy. Where one attribute allows no cut, the next is tried.
    """
    n = X.shape[0]
    whole = _spreads(X, np.arange(n), nominal, by_entropy)
    scale = np.where(nominal & (whole[0] > 0) & (not by_entropy), whole[0], 1.0)
    labels = np.empty(n, dtype=np.int64)
    order = np.arange(n)
    stack = np.empty((n // k + 2, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1], held = 0, n, 1
    groups = 0
    while held > 0:
        held -= 1
        start, stop = stack[held]
        rows = order[start:stop]
        cut = 0
        if stop - start >= 2 * k:
            spreads = _spreads(X, rows, nominal, by_entropy)
            spreads[0] /= scale
            cut = _halve(X, rows, spreads, k, strict)
        if cut == 0:
            labels[rows] = groups
            groups += 1
        else:
            stack[held, 0], stack[held, 1] = start + cut, stop
            stack[held + 1, 0], stack[held + 1, 1] = start, start + cut
            held += 2
    return labels


@njit(cache=True, nogil=True)
def _spreads(X: Float, rows: Int, nominal: Bool, by_entropy: bool) -> Float:
    """The measure by which attributes are chosen, and in a second row the range, which decides between equals."""
    d = X.shape[1]
    spreads = np.empty((2, d))
    for j in range(d):
        x = X[rows, j]
        spreads[0, j] = spreads[1, j] = x.max() - x.min()
        if nominal[j] or by_entropy:
            x.sort()
            spreads[0, j] = _entropy(x) if by_entropy else np.count_nonzero(x[1:] != x[:-1])
    return spreads


@njit(cache=True, nogil=True)
def _entropy(ordered: Float) -> float:
    """The entropy of sorted values."""
    n = ordered.shape[0]
    total = 0.0
    run = 1
    for i in range(1, n + 1):
        if i < n and ordered[i] == ordered[i - 1]:
            run += 1
        else:
            total -= run / n * np.log(run / n)
            run = 1
    return max(total, 0.0)


@njit(cache=True, nogil=True)
def _halve(X: Float, rows: Int, spreads: Float, k: int, strict: bool) -> int:
    """Put the lower half first (rows stay in order inside the halves); its size, 0 where no attribute can be cut."""
    n = rows.shape[0]
    tried = np.zeros(spreads.shape[1], dtype=np.bool_)
    for _ in range(spreads.shape[1]):
        best = -1
        for j in range(spreads.shape[1]):
            if tried[j]:
                continue
            more = best < 0 or spreads[0, j] > spreads[0, best]
            if more or (spreads[0, j] == spreads[0, best] and spreads[1, j] > spreads[1, best]):
                best = j
        tried[best] = True
        x = X[rows, best]
        order = np.argsort(x, kind="mergesort")
        cut = _strict_cut(x[order]) if strict else n // 2
        if min(cut, n - cut) >= k:
            lower = np.sort(order[:cut])
            upper = np.sort(order[cut:])
            rows[:] = rows[np.concatenate((lower, upper))]
            return cut
    return 0


@njit(cache=True, nogil=True)
def _strict_cut(ordered: Float) -> int:
    """The cut just above or just below the run of the median, whichever is nearer to the middle."""
    n = ordered.shape[0]
    median = ordered[(n - 1) // 2]
    below = int(np.searchsorted(ordered, median, side="left"))
    above = int(np.searchsorted(ordered, median, side="right"))
    return above if min(above, n - above) >= min(below, n - below) else below
