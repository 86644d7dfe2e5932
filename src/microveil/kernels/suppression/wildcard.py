"""Local suppression where a missing value agrees with any value."""

from __future__ import annotations

import heapq

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.progress import advance
from microveil.kernels.suppression.lines import lines_of, subsets_by_cost
from microveil.kernels.suppression.pieces import Pieces
from microveil.kernels.tables.classes import count_up, first_rows, group_rows
from microveil.kernels.tables.sizes import class_sizes

_PAIRS = 2_000_000_000  # comparisons of rows that the last pass may take
_HELPED = 0.3  # credit for a record that comes nearer to k without reaching it


def suppress_wildcard(codes: Ints, k: int, cost: Floats, times: Ints | None = None) -> Pieces:
    """Cells of unsafe records to blank so that every record agrees with at least k, blank agreeing with all.

    Greedy, cheapest subsets of keys first: the class whose blanking makes most records safe for its cost goes
    first, itself and those that agree with it from then on. A last pass gives cells back that turn out to be
    unnecessary (left out on very large files). Needs k records. Weaker than k-anonymity proper: a record
    may lean on records that are blank. `times` says how many records have each row; all of them lose the same.
    """
    whole = Pieces.whole(codes.shape, times)
    cells, times = whole.cells, whole.times
    unsafe_at_first = _agreeing(codes, times) < k
    levels = list(subsets_by_cost(cost))
    for number, subsets in enumerate(levels):
        advance(number / len(levels))
        current = np.where(cells, -1, codes)
        sizes = _agreeing(current, times)
        if sizes.min() >= k:
            break
        cells |= _one_level(current, times, sizes, k, subsets)
    return whole._replace(cells=_give_back(codes, times, cells, k, cost) if unsafe_at_first.any() else cells)


def _agreeing(codes: Ints, times: Ints) -> Ints:
    """How many records each row agrees with."""
    return class_sizes(codes, "wildcard", records=times)[0]


def _classes(codes: Ints, times: Ints) -> tuple[Ints, Ints]:
    """The class of equal rows of each row, and the records of each class."""
    labels, _ = group_rows(codes)
    return labels, count_up(labels, times)


def _one_level(codes: Ints, times: Ints, sizes: Ints, k: int, subsets: list[tuple[int, ...]]) -> Bools:
    labels, counts = _classes(codes, times)
    first = first_rows(labels, len(counts))
    lines = lines_of(codes[first], subsets)
    totals = np.bincount(lines.of.reshape(-1), weights=np.repeat(counts, len(subsets))).astype(np.int64)
    choice = _choose(lines.of, lines.start, lines.members, counts, sizes[first].copy(), totals, k)
    cells = np.zeros(codes.shape, dtype=np.bool_)
    for s, subset in enumerate(subsets):
        cells[np.ix_(np.flatnonzero((choice == s)[labels]), np.array(subset))] = True
    return cells


@compiled
def _worth(c: int, line: int, start: Ints, members: Ints, counts: Ints, sizes: Ints, k: int) -> float:
    """Records made safe per record blanked when class c is blanked along the line."""
    worth = float(counts[c])
    for p in range(start[line], start[line + 1]):
        v = members[p]
        if v != c and sizes[v] < k:
            missing = k - sizes[v]
            worth += counts[v] if missing <= counts[c] else _HELPED * counts[v] * counts[c] / missing
    return float(worth / counts[c])


@compiled
def _choose(of: Ints, start: Ints, members: Ints, counts: Ints, sizes: Ints, totals: Ints, k: int) -> Ints:
    """The subset along which each class is blanked (-1: not at all), by decreasing worth."""
    choice = np.full(len(of), -1, dtype=np.int64)
    heap = [(0.0, -1, -1) for _ in range(0)]
    for c in range(len(of)):
        if sizes[c] < k:
            for s in range(of.shape[1]):
                if totals[of[c, s]] >= k:
                    heap.append((-_worth(c, of[c, s], start, members, counts, sizes, k), c, s))  # noqa: PERF401 - compiled
    heapq.heapify(heap)
    while heap:
        worth, c, s = heapq.heappop(heap)
        if sizes[c] >= k:
            continue
        line = of[c, s]
        now = _worth(c, line, start, members, counts, sizes, k)
        if now < -worth - 1e-12 and heap and now < -heap[0][0]:
            heapq.heappush(heap, (-now, c, s))
            continue
        choice[c] = s
        sizes[c] = max(k, totals[line])
        for p in range(start[line], start[line + 1]):
            v = members[p]
            if v != c:
                sizes[v] += counts[c]
    return choice


def _give_back(codes: Ints, times: Ints, cells: Bools, k: int, cost: Floats) -> Bools:
    """The cells without those that every record can do without, dearest first."""
    current = np.where(cells, -1, codes)
    labels, counts = _classes(np.hstack([current, codes]), times)
    first = first_rows(labels, len(counts))
    blanked = np.flatnonzero(cells[first].any(axis=1))
    if len(blanked) * len(counts) * codes.shape[1] > _PAIRS:
        return cells
    rows = current[first].copy()
    sizes = _agreeing(current, times)[first].copy()
    _restore_rows(rows, codes[first], counts, sizes, blanked, np.argsort(-cost, kind="stable"), k)
    return np.asarray((rows != codes[first])[labels])


@compiled
def _agree(a: Ints, b: Ints, but: int) -> bool:
    for j in range(len(a)):  # noqa: SIM110 - compiled
        if j != but and a[j] != b[j] and a[j] >= 0 and b[j] >= 0:
            return False
    return True


@compiled
def _restore_rows(rows: Ints, full: Ints, counts: Ints, sizes: Ints, blanked: Ints, keys: Ints, k: int) -> None:
    lost = np.empty(len(rows), dtype=np.int64)
    for j in keys:
        for r in blanked:
            if rows[r, j] == full[r, j]:
                continue
            value = full[r, j]
            losers = 0
            leaving = 0
            possible = True
            for x in range(len(rows)):
                if x != r and rows[x, j] >= 0 and rows[x, j] != value and _agree(rows[r], rows[x], j):
                    if sizes[x] - counts[r] < k:
                        possible = False
                        break
                    lost[losers] = x
                    losers += 1
                    leaving += counts[x]
                    if sizes[r] - leaving < k:
                        possible = False
                        break
            if possible:
                rows[r, j] = value
                sizes[r] -= leaving
                for i in range(losers):
                    sizes[lost[i]] -= counts[r]
