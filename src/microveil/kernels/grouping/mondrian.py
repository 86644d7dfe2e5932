"""Mondrian: a file halved again and again at the median of its most spread attribute.

Reference: LeFevre, DeWitt & Ramakrishnan (2006), Mondrian multidimensional k-anonymity.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.grouping.class_rules import Rules, satisfies


@compiled
def mondrian_groups(
    X: Floats, nominal: Bools, scale: Floats, strict: bool, by_entropy: bool, plain: bool, rules: Rules
) -> Ints:
    """Halves of halves that satisfy the rules; groups are numbered from low to high values.

    Strict: equal values of the attribute that is cut stay on one side, so that groups are disjoint boxes; otherwise
    ties are divided by row. The spread is the range, of a nominal attribute the number of its categories, or the
    entropy, each divided by `scale`. Where one attribute allows no cut, the next is tried. `plain` cuts above the
    median as published and leaves equal records together; otherwise the end of the median's run that is nearer to
    the middle is cut. All records together must satisfy the rules.
    """
    n = X.shape[0]
    labels = np.empty(n, dtype=np.int64)
    order = np.arange(n)
    stack = np.empty((n // rules.k + 2, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1], held = 0, n, 1
    groups = 0
    while held > 0:
        held -= 1
        start, stop = stack[held]
        rows = order[start:stop]
        cut = 0
        if stop - start >= 2 * rules.k:
            spreads = _spreads(X, rows, nominal, by_entropy)
            spreads[0] /= scale
            cut = _halve(X, rows, spreads, strict, plain, rules)
        if cut == 0:
            labels[rows] = groups
            groups += 1
        else:
            stack[held, 0], stack[held, 1] = start + cut, stop
            stack[held + 1, 0], stack[held + 1, 1] = start, start + cut
            held += 2
    return labels


@compiled
def _spreads(X: Floats, rows: Ints, nominal: Bools, by_entropy: bool) -> Floats:
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


@compiled
def _entropy(ordered: Floats) -> float:
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


@compiled
def _halve(X: Floats, rows: Ints, spreads: Floats, strict: bool, plain: bool, rules: Rules) -> int:
    """Put the lower half first; its size, 0 where no attribute can be cut."""
    n = rows.shape[0]
    for j in np.argsort(-spreads[0]) if plain else _widest_first(spreads):
        if plain and spreads[0, j] <= 0:
            break
        x = X[rows, j]
        order = np.argsort(x, kind="mergesort")
        cut = n // 2
        if strict:
            cut = _cut_above(x[order]) if plain else _nearest_cut(x[order])
        if min(cut, n - cut) < rules.k:
            continue
        if not plain:
            # rows stay in order inside the halves
            order = np.concatenate((np.sort(order[:cut]), np.sort(order[cut:])))
        arranged = rows[order]
        if satisfies(arranged[:cut], rules) and satisfies(arranged[cut:], rules):
            rows[:] = arranged
            return int(cut)
    return 0


@compiled
def _widest_first(spreads: Floats) -> Ints:
    """The attributes by spread, then by range, then as they stand."""
    d = spreads.shape[1]
    found = np.empty(d, dtype=np.int64)
    tried = np.zeros(d, dtype=np.bool_)
    for place in range(d):
        best = -1
        for j in range(d):
            if tried[j]:
                continue
            more = best < 0 or spreads[0, j] > spreads[0, best]
            if more or (spreads[0, j] == spreads[0, best] and spreads[1, j] > spreads[1, best]):
                best = j
        tried[best] = True
        found[place] = best
    return found


@compiled
def _nearest_cut(ordered: Floats) -> int:
    """The cut just above or just below the run of the median, whichever is nearer to the middle."""
    n = ordered.shape[0]
    median = ordered[(n - 1) // 2]
    below = int(np.searchsorted(ordered, median, side="left"))
    above = int(np.searchsorted(ordered, median, side="right"))
    return above if min(above, n - above) >= min(below, n - below) else below


@compiled
def _cut_above(ordered: Floats) -> int:
    """The cut just above the run of the median, or just below it where nothing is above."""
    n = ordered.shape[0]
    median = ordered[(n - 1) // 2]
    above = int(np.searchsorted(ordered, median, side="right"))
    return above if above < n else int(np.searchsorted(ordered, median, side="left"))
