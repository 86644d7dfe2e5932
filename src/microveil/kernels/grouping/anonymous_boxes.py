"""Mondrian: recursive halving of the records into boxes that satisfy an anonymity model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Rules(NamedTuple):
    """What every box must satisfy.

    `sensitive`: codes of each sensitive attribute, `sizes` their numbers of values, each of which occurs, `shares`
    their distributions one after the other; `kind` 0 none, 1 distinct, 2 entropy, 3 recursive diversity of at least
    `l` (with `c`); `t` the largest distance from the whole file (infinite: any), `ordered` whether values have
    an order; the weights in a box add up to at least `weight`.
    """

    k: int
    sensitive: Int
    sizes: Int
    shares: Float
    kind: int
    l: int  # noqa: E741 - the literature's letter
    c: float
    t: float
    ordered: bool
    weights: Float
    weight: float


@njit(cache=True, nogil=True)
def satisfies(rows: Int, rules: Rules) -> bool:
    """Whether these records together satisfy the rules."""
    if len(rows) < rules.k:
        return False
    if rules.weight > 0.0:
        total = 0.0
        for i in rows:
            total += rules.weights[i]
        if total < rules.weight * (1 - 1e-12):
            return False
    offset = 0
    for a in range(rules.sensitive.shape[1]):
        m = rules.sizes[a]
        counts = np.zeros(m, dtype=np.int64)
        for i in rows:
            counts[rules.sensitive[i, a]] += 1
        if rules.kind > 0 and not _diverse(counts, len(rows), rules.kind, rules.l, rules.c):
            return False
        if (
            rules.t < np.inf
            and _distance(counts, len(rows), rules.shares[offset : offset + m], rules.ordered) > rules.t
        ):
            return False
        offset += m
    return True


@njit(cache=True, nogil=True)
def _diverse(counts: Int, total: int, kind: int, l: int, c: float) -> bool:  # noqa: E741
    if kind == 2:
        entropy = 0.0
        for count in counts:
            if count > 0:
                entropy -= count / total * np.log(count / total)
        return bool(np.exp(entropy) >= l * (1 - 1e-12))
    ordered = np.sort(counts)[::-1]
    if l > len(ordered) or ordered[l - 1] == 0:
        return False
    return bool(kind == 1 or ordered[0] < c * ordered[l - 1 :].sum())


@njit(cache=True, nogil=True)
def _distance(counts: Int, total: int, shares: Float, ordered: bool) -> float:
    if len(counts) == 1:
        return 0.0
    moved = 0.0
    carried = 0.0
    for j in range(len(counts)):
        shift = counts[j] / total - shares[j]
        if ordered:
            carried += shift
            if j < len(counts) - 1:
                moved += abs(carried)
        else:
            moved += abs(shift) / 2
    return moved / (len(counts) - 1) if ordered else moved


@njit(cache=True, nogil=True)
def mondrian(X: Float, nominal: Int, strict: bool, rules: Rules) -> Int:
    """Box of each record: halved at the median of the widest attribute while both halves satisfy the rules.

    `X` holds numbers or codes; `nominal` marks columns whose spread is the share of values present. `strict`
    keeps equal values together, so that boxes do not overlap. All records together must satisfy the rules.
    Reference: LeFevre, DeWitt & Ramakrishnan 2006.
    """
    n, q = X.shape
    order = np.arange(n)
    labels = np.empty(n, dtype=np.int64)
    whole = np.empty(q)
    for j in range(q):
        whole[j] = _spread(X[:, j], nominal[j])
    lows, highs = [0], [n]
    boxes = 0
    while lows:
        low, high = lows.pop(), highs.pop()
        rows = order[low:high].copy()
        spreads = np.zeros(q)
        for j in range(q):
            if whole[j] > 0:
                spreads[j] = _spread(X[rows, j], nominal[j]) / whole[j]
        cut = 0
        for j in np.argsort(-spreads):
            if spreads[j] <= 0:
                break
            cut = _halve(X[rows, j], rows, strict, rules)
            if cut > 0:
                break
        if cut == 0:
            labels[rows] = boxes
            boxes += 1
        else:
            order[low:high] = rows
            lows.append(low)
            highs.append(low + cut)
            lows.append(low + cut)
            highs.append(high)
    return labels


@njit(cache=True, nogil=True)
def _spread(x: Float, nominal: int) -> float:
    if nominal:
        return float(len(np.unique(x)) - 1)
    return float(x.max() - x.min())


@njit(cache=True, nogil=True)
def _halve(x: Float, rows: Int, strict: bool, rules: Rules) -> int:
    """Put the lower half first in `rows` and return its size, or 0 where a half breaks the rules."""
    by_value = np.argsort(x, kind="mergesort")
    middle = len(x) // 2
    if strict:
        median = x[by_value[(len(x) - 1) // 2]]
        cut = 0
        while cut < len(x) and x[by_value[cut]] <= median:
            cut += 1
        if cut == len(x):
            cut = 0
            while x[by_value[cut]] < median:
                cut += 1
        middle = cut
    if middle == 0 or middle == len(x):
        return 0
    arranged = rows[by_value]
    if not (satisfies(arranged[:middle], rules) and satisfies(arranged[middle:], rules)):
        return 0
    rows[:] = arranged
    return middle
