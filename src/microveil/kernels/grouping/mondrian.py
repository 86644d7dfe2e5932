"""Mondrian: a file halved again and again at the median of its most spread attribute.

Reference: LeFevre, DeWitt & Ramakrishnan (2006), Mondrian multidimensional k-anonymity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.ordering import distinct
from microveil.kernels.grouping.class_rules import Rules, satisfies
from microveil.kernels.ranks.selecting import select_in_place


class _File(NamedTuple):
    """The records in the order of the boxes, each beside its row, with room to move them.

    Counted attributes are held as codes, whose values stand from `begin` on; `seen` notes in which box a code was
    met last.
    """

    held: Floats
    rows: Ints
    moved: Floats
    moved_rows: Ints
    column: Floats
    counted: Bools
    values: Floats
    begin: Ints
    seen: Ints


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
    n, d = X.shape
    held = X.copy()
    counted = nominal & (not by_entropy)
    values = [np.empty(0)] * d
    for j in np.flatnonzero(counted):
        values[j], held[:, j], _ = distinct(np.ascontiguousarray(X[:, j]))
    begin = np.concatenate([[0], np.cumsum([len(own) for own in values])])
    seen = np.full(begin[-1], -1, dtype=np.int64)
    moved = (np.empty_like(held), np.empty(n, dtype=np.int64), np.empty(n))
    file = _File(held, np.arange(n), *moved, counted, np.concatenate(values), begin, seen)
    return _groups(file, scale, strict, by_entropy, plain, rules)


@compiled
def _groups(file: _File, scale: Floats, strict: bool, by_entropy: bool, plain: bool, rules: Rules) -> Ints:
    n = len(file.rows)
    labels = np.empty(n, dtype=np.int64)
    stack = np.empty((n // rules.k + 2, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1], waiting = 0, n, 1
    groups = boxes = 0
    while waiting > 0:
        waiting -= 1
        start, stop = stack[waiting]
        cut = 0
        if stop - start >= 2 * rules.k:
            spreads = _spreads(file, start, stop, by_entropy, boxes)
            spreads[0] /= scale
            boxes += 1
            cut = _halve(file, start, stop, spreads, strict, plain, rules)
        if cut == 0:
            labels[file.rows[start:stop]] = groups
            groups += 1
        else:
            stack[waiting, 0], stack[waiting, 1] = start + cut, stop
            stack[waiting + 1, 0], stack[waiting + 1, 1] = start, start + cut
            waiting += 2
    return labels


@compiled
def _spreads(file: _File, start: int, stop: int, by_entropy: bool, box: int) -> Floats:
    """The measure by which attributes are chosen, and in a second row the range, which decides between equals."""
    d = file.held.shape[1]
    spreads = np.empty((2, d))
    for j in range(d):
        low = high = file.held[start, j]
        kinds, begin = 0, file.begin[j]
        if file.counted[j]:
            for i in range(start, stop):
                code = int(file.held[i, j])
                if file.seen[begin + code] != box:
                    file.seen[begin + code] = box
                    kinds += 1
                    low, high = min(low, file.held[i, j]), max(high, file.held[i, j])
            spreads[0, j] = kinds - 1
            spreads[1, j] = file.values[begin + int(high)] - file.values[begin + int(low)]
            continue
        for i in range(start, stop):
            low, high = min(low, file.held[i, j]), max(high, file.held[i, j])
        spreads[0, j] = spreads[1, j] = high - low
        if by_entropy:
            spreads[0, j] = _entropy(np.sort(file.held[start:stop, j]))
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
def _halve(file: _File, start: int, stop: int, spreads: Floats, strict: bool, plain: bool, rules: Rules) -> int:
    """Put the lower half first; its size, 0 where no attribute can be cut."""
    n = stop - start
    x = file.column[:n]
    size_alone = rules.sensitive.shape[1] == 0 and not rules.weight > 0.0
    for j in np.argsort(-spreads[0]) if plain else _widest_first(spreads):
        if plain and spreads[0, j] <= 0:
            break
        x[:] = file.held[start:stop, j]
        half = select_in_place(x, (n - 1) // 2 if strict else n // 2 - 1)
        below = ties = 0
        for i in range(start, stop):
            below += file.held[i, j] < half
            ties += file.held[i, j] == half
        cut = n // 2
        if strict:
            cut = _cut_above(below, ties, n) if plain else _nearest_cut(below, ties, n)
        if min(cut, n - cut) < rules.k:
            continue
        if plain and not strict:
            # later ties are divided as the records stand: in the order of the attributes cut before
            _sort_by(file, start, stop, j)
        else:
            _divide(file, start, stop, j, half, start + cut, cut - below)
        lower, upper = file.moved_rows[start : start + cut], file.moved_rows[start + cut : stop]
        if size_alone or (satisfies(lower, rules) and satisfies(upper, rules)):
            file.rows[start:stop] = file.moved_rows[start:stop]
            file.held[start:stop] = file.moved[start:stop]
            return int(cut)
    return 0


@compiled
def _divide(file: _File, start: int, stop: int, j: int, half: float, upper: int, ties: int) -> None:
    """Move the records with values below the half, and so many of those with its value, then the others."""
    d, lower = file.held.shape[1], start
    for i in range(start, stop):
        value = file.held[i, j]
        first = value < half
        if value == half and ties > 0:
            ties -= 1
            first = True
        to = lower if first else upper
        lower, upper = lower + first, upper + (not first)
        file.moved_rows[to] = file.rows[i]
        for a in range(d):
            file.moved[to, a] = file.held[i, a]


@compiled
def _sort_by(file: _File, start: int, stop: int, j: int) -> None:
    order = start + np.argsort(file.held[start:stop, j], kind="mergesort")
    file.moved_rows[start:stop], file.moved[start:stop] = file.rows[order], file.held[order]


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
def _nearest_cut(below: int, ties: int, n: int) -> int:
    """The cut just above or just below the run of the median, whichever is nearer to the middle."""
    above = below + ties
    return above if min(above, n - above) >= min(below, n - below) else below


@compiled
def _cut_above(below: int, ties: int, n: int) -> int:
    """The cut just above the run of the median, or just below it where nothing is above."""
    return below + ties if below + ties < n else below
