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
from microveil.kernels.ranks.selecting import select_counted, select_in_place


class _File(NamedTuple):
    """The rows in the order of the boxes, each beside its number and its count of records, with room to move them.

    `alone`: every row is one record. Counted attributes are held as codes, whose values stand from `begin` on; `seen`
    notes in which box a code was met last.
    """

    held: Floats
    rows: Ints
    counts: Ints
    moved: Floats
    moved_rows: Ints
    moved_counts: Ints
    column: Floats
    column_counts: Ints
    alone: bool
    counted: Bools
    values: Floats
    begin: Ints
    seen: Ints


def mondrian_groups(
    X: Floats, nominal: Bools, scale: Floats, strict: bool, by_entropy: bool, plain: bool, rules: Rules
) -> Ints:
    """Halves of halves that satisfy the rules; groups are numbered from low to high values.

    Rows stand for as many records as the rules say, and are never divided. Strict: equal values of the attribute that
    is cut stay on one side, so that groups are disjoint boxes; otherwise ties are divided by row, and each row must be
    one record. The spread is the range, of a nominal attribute the number of its categories, or the entropy, each
    divided by `scale`. Where one attribute allows no cut, the next is tried. `plain` cuts above the median as published
    and leaves equal records together; otherwise the end of the median's run that is nearer to the middle is cut. All
    records together must satisfy the rules.
    """
    n, d = X.shape
    held = X.copy()
    counted = nominal & (not by_entropy)
    values = [np.empty(0)] * d
    for j in np.flatnonzero(counted):
        values[j], held[:, j], _ = distinct(np.ascontiguousarray(X[:, j]))
    begin = np.concatenate([[0], np.cumsum([len(own) for own in values])])
    seen = np.full(begin[-1], -1, dtype=np.int64)
    moved = (np.empty_like(held), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64))
    column = (np.empty(n), np.empty(n, dtype=np.int64), bool((rules.counts == 1).all()))
    counts = rules.counts.copy()
    file = _File(held, np.arange(n), counts, *moved, *column, counted, np.concatenate(values), begin, seen)
    return _groups(file, scale, strict, by_entropy, plain, rules)


@compiled
def _groups(file: _File, scale: Floats, strict: bool, by_entropy: bool, plain: bool, rules: Rules) -> Ints:
    n = len(file.rows)
    labels = np.empty(n, dtype=np.int64)
    stack = np.empty((min(n, file.counts.sum() // rules.k) + 2, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1], waiting = 0, n, 1
    groups = boxes = 0
    while waiting > 0:
        waiting -= 1
        start, stop = stack[waiting]
        cut = 0
        if file.counts[start:stop].sum() >= 2 * rules.k:
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
            order = start + np.argsort(file.held[start:stop, j])
            spreads[0, j] = _entropy(file.held[order, j], file.counts[order])
    return spreads


@compiled
def _entropy(ordered: Floats, counts: Ints) -> float:
    """The entropy of sorted values, each of which so many records have."""
    n = counts.sum()
    total = 0.0
    run = counts[0]
    for i in range(1, len(ordered) + 1):
        if i < len(ordered) and ordered[i] == ordered[i - 1]:
            run += counts[i]
        else:
            total -= run / n * np.log(run / n)
            run = counts[i] if i < len(ordered) else 0
    return max(total, 0.0)


@compiled
def _halve(file: _File, start: int, stop: int, spreads: Floats, strict: bool, plain: bool, rules: Rules) -> int:
    """Put the lower half first; how many rows it has, 0 where no attribute can be cut."""
    n = file.counts[start:stop].sum()
    x, times = file.column[: stop - start], file.column_counts[: stop - start]
    size_alone = rules.sensitive.shape[1] == 0 and not rules.weight > 0.0
    for j in np.argsort(-spreads[0]) if plain else _widest_first(spreads):
        if plain and spreads[0, j] <= 0:
            break
        x[:] = file.held[start:stop, j]
        rank = (n - 1) // 2 if strict else n // 2 - 1
        if file.alone:
            half = select_in_place(x, rank)
        else:
            times[:] = file.counts[start:stop]
            half = select_counted(x, times, rank)
        below = ties = 0
        for i in range(start, stop):
            if file.held[i, j] < half:
                below += file.counts[i]
            elif file.held[i, j] == half:
                ties += file.counts[i]
        cut = n // 2
        if strict:
            cut = _cut_above(below, ties, n) if plain else _nearest_cut(below, ties, n)
        if min(cut, n - cut) < rules.k:
            continue
        if plain and not strict:
            # later ties are divided as the records stand: in the order of the attributes cut before
            _sort_by(file, start, stop, j)
            rows = int(cut)
        else:
            rows = _divide(file, start, stop, j, half, cut - below)
        lower, upper = file.moved_rows[start : start + rows], file.moved_rows[start + rows : stop]
        if size_alone or (satisfies(lower, rules) and satisfies(upper, rules)):
            file.rows[start:stop] = file.moved_rows[start:stop]
            file.counts[start:stop] = file.moved_counts[start:stop]
            file.held[start:stop] = file.moved[start:stop]
            return rows
    return 0


@compiled
def _divide(file: _File, start: int, stop: int, j: int, half: float, ties: int) -> int:
    """Move the rows with values below the half, and so many records with its value, then the others.

    How many rows come first is returned.
    """
    d, rows, left = file.held.shape[1], 0, ties
    for i in range(start, stop):
        value = file.held[i, j]
        if value == half and left > 0:
            left -= file.counts[i]
            rows += 1
        elif value < half:
            rows += 1
    lower, upper = start, start + rows
    for i in range(start, stop):
        value = file.held[i, j]
        first = value < half
        if value == half and ties > 0:
            ties -= file.counts[i]
            first = True
        to = lower if first else upper
        lower, upper = lower + first, upper + (not first)
        file.moved_rows[to], file.moved_counts[to] = file.rows[i], file.counts[i]
        for a in range(d):
            file.moved[to, a] = file.held[i, a]
    return rows


@compiled
def _sort_by(file: _File, start: int, stop: int, j: int) -> None:
    order = start + np.argsort(file.held[start:stop, j], kind="mergesort")
    file.moved_rows[start:stop], file.moved[start:stop] = file.rows[order], file.held[order]
    file.moved_counts[start:stop] = file.counts[order]


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
