"""Released records whose classes contain a raw combination of keys, and what their values agree on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bytes, Floats, Ints
from microveil.core.compiling import compiled


class Holding(NamedTuple):
    """For each column which raw codes a released level holds: a range, or a row of a table.

    Level l of column j holds the codes from low[j, l] to high[j, l] where widths[j] is 0; otherwise code c if the table
    that begins at starts[j] says so at l * widths[j] + c. A code or a level below 0 is unknown and agrees with all.
    """

    low: Ints
    high: Ints
    tables: Bytes
    starts: Ints
    widths: Ints
    levels: Ints


class Records(NamedTuple):
    """Distinct combinations: the part of the file that they can be compared within, and a code for each column."""

    group: Ints
    codes: Ints


class Released(NamedTuple):
    """Distinct released combinations sorted by group and by the code of the leading column, and their values.

    Combination r has the values from starts[r] to starts[r + 1], NaN where missing.
    """

    records: Records
    leading: int
    starts: Ints
    values: Floats


class Agreement(NamedTuple):
    """For each asked record, among the released ones that may be its own: how many there are, the share that shows
    its true value, the share of the best supported value, and the chance that this one is true."""

    sizes: Floats
    shares: Floats
    best: Floats
    right: Floats


def agreement(
    asked: Records, holding: Holding, released: Released, starts: Ints, low: Floats, high: Floats, tolerance: float
) -> Agreement:
    """What the released records that may be somebody's say about a value of theirs.

    Asked combination q stands for the records from starts[q] to starts[q + 1], whose true values lie from `low` to
    `high`. Released values agree with one that differs by at most `tolerance` of its size.
    """
    n = len(low)
    found = Agreement(*(np.zeros(n) for _ in range(4)))
    _ask_all(asked, holding, released, starts, low, high, tolerance, found)
    return found


@compiled
def _ask_all(
    asked: Records,
    holding: Holding,
    released: Released,
    starts: Ints,
    low: Floats,
    high: Floats,
    tolerance: float,
    found: Agreement,
) -> None:
    pool = np.empty(len(released.values))
    for q in range(len(asked.group)):
        size, filled = _gather(asked, q, holding, released, pool)
        if size == 0:
            continue
        values = np.sort(pool[:filled])
        support, best = _supports(values, tolerance)
        for i in range(starts[q], starts[q + 1]):
            found.sizes[i] = size
            found.best[i] = best / size
            if np.isnan(low[i]) or filled == 0:
                continue
            first, last = np.searchsorted(values, low[i]), np.searchsorted(values, high[i], side="right")
            found.shares[i] = (last - first) / size
            leaders, among = 0, 0
            for v in range(filled):
                if support[v] == best:
                    leaders += 1
                    among += 1 if first <= v < last else 0
            found.right[i] = among / leaders


@compiled
def _gather(asked: Records, q: int, holding: Holding, released: Released, pool: Floats) -> tuple[int, int]:
    """Fill the pool with the values of all records that may be the asked one; their number with and without gaps."""
    combinations = released.records
    lead, levels = released.leading, holding.levels[released.leading]
    width = levels + 1
    size, filled = 0, 0
    for level in range(-1, levels):
        if not _holds(holding, lead, level, asked.codes[q, lead]):
            continue
        key = asked.group[q] * width + level + 1
        r = _first_with(combinations, lead, width, key)
        while r < len(combinations.group) and _key(combinations, lead, width, r) == key:
            inside = True
            for j in range(asked.codes.shape[1]):
                if j != lead and not _holds(holding, j, combinations.codes[r, j], asked.codes[q, j]):
                    inside = False
                    break
            if inside:
                for v in range(released.starts[r], released.starts[r + 1]):
                    size += 1
                    if not np.isnan(released.values[v]):
                        pool[filled] = released.values[v]
                        filled += 1
            r += 1
    return size, filled


@compiled
def _key(combinations: Records, lead: int, width: int, r: int) -> int:
    return int(combinations.group[r] * width + combinations.codes[r, lead] + 1)


@compiled
def _first_with(combinations: Records, lead: int, width: int, key: int) -> int:
    first, last = 0, len(combinations.group)
    while first < last:
        middle = (first + last) // 2
        if _key(combinations, lead, width, middle) < key:
            first = middle + 1
        else:
            last = middle
    return first


@compiled
def _holds(holding: Holding, j: int, level: int, code: int) -> bool:
    if level < 0 or code < 0:
        return True
    if holding.widths[j] == 0:
        return bool(holding.low[j, level] <= code <= holding.high[j, level])
    return bool(holding.tables[holding.starts[j] + level * holding.widths[j] + code] != 0)


@compiled
def _supports(values: Floats, tolerance: float) -> tuple[Ints, int]:
    """How many of the sorted values agree with each of them, and the most."""
    support = np.zeros(len(values), dtype=np.int64)
    best = 0
    for v in range(len(values)):
        slack = tolerance * abs(values[v])
        first = np.searchsorted(values, values[v] - slack)
        support[v] = np.searchsorted(values, values[v] + slack, side="right") - first
        best = max(best, support[v])
    return support, best
