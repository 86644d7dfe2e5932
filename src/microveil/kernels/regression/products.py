"""Products of columns as the terms of a regression, never held for all records at once.

A term is the product of one or more columns; `factors` names them, -1 where there are fewer. Sums over records are
taken in blocks of a fixed size and added in their order: the number of threads does not matter.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.threads import on_all_cores

_BLOCK = 1 << 15  # records of one sum
_MADE = 512  # records whose terms are made together
_TILE = 64  # of them, those that are added up before the sum is added to that of the others
_LANES = 8  # sums that are taken side by side


def combine_terms(columns: Floats, factors: Ints, weights: Floats) -> Floats:
    """For each record the sum of its terms times their weights; columns are the rows of the first array."""
    found = np.empty(columns.shape[1])
    starts = range(0, len(found), _BLOCK)
    on_all_cores(partial(_combine, columns, factors, weights, found), starts, len(found))
    return found


def total_terms(columns: Floats, factors: Ints, weights: Floats) -> Floats:
    """For each term its sum over the records times their weights."""
    starts = range(0, columns.shape[1], _BLOCK)
    parts = on_all_cores(partial(_total, columns, factors, weights), starts, columns.shape[1])
    return np.asarray(sum(parts, np.zeros(len(factors))))


@compiled
def _combine(columns: Floats, factors: Ints, weights: Floats, found: Floats, start: int) -> None:
    made = np.empty(_MADE)
    for first in range(start, min(start + _BLOCK, columns.shape[1]), _MADE):
        own = found[first : min(first + _MADE, columns.shape[1])]
        own[:] = 0.0
        for k in range(len(factors)):
            _make(columns, factors[k], first, made[: len(own)])
            weight = weights[k]
            for r in range(len(own)):
                own[r] += weight * made[r]


@compiled
def _total(columns: Floats, factors: Ints, weights: Floats, start: int) -> Floats:
    made, own, sums = np.zeros(_MADE), np.zeros(_MADE), np.zeros(len(factors))
    for first in range(start, min(start + _BLOCK, columns.shape[1]), _MADE):
        rows = min(_MADE, columns.shape[1] - first)
        own[:rows] = weights[first : first + rows]
        own[rows:] = 0.0
        for k in range(len(factors)):
            _make(columns, factors[k], first, made[:rows])
            for tile in range(0, rows, _TILE):
                a = b = c = d = e = f = g = h = 0.0
                for r in range(tile, tile + _TILE, _LANES):
                    a, b, c, d = (
                        a + own[r] * made[r],
                        b + own[r + 1] * made[r + 1],
                        c + own[r + 2] * made[r + 2],
                        d + own[r + 3] * made[r + 3],
                    )
                    e, f, g, h = (
                        e + own[r + 4] * made[r + 4],
                        f + own[r + 5] * made[r + 5],
                        g + own[r + 6] * made[r + 6],
                        h + own[r + 7] * made[r + 7],
                    )
                sums[k] += ((a + b) + (c + d)) + ((e + f) + (g + h))
    return sums


@compiled
def fill_terms(columns: Floats, factors: Ints, start: int, out: Floats) -> None:
    """The terms of some records from one on, a row of the result for each term."""
    for k in range(len(factors)):
        _make(columns, factors[k], start, out[k])


@compiled
def _make(columns: Floats, term: Ints, first: int, made: Floats) -> None:
    """One term of some records."""
    rows = len(made)
    one = columns[term[0], first : first + rows]
    if len(term) < 2 or term[1] < 0:
        for r in range(rows):
            made[r] = one[r]
        return
    two = columns[term[1], first : first + rows]
    if len(term) < 3 or term[2] < 0:
        for r in range(rows):
            made[r] = one[r] * two[r]
        return
    three = columns[term[2], first : first + rows]
    for r in range(rows):
        made[r] = one[r] * two[r] * three[r]
    for f in range(3, len(term)):
        if term[f] >= 0:
            more = columns[term[f], first : first + rows]
            for r in range(rows):
                made[r] *= more[r]
