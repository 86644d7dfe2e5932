"""Local suppression where a missing value is a value of its own: records are made equal in groups of k."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.progress import advance
from microveil.kernels.suppression.lines import useful_subsets
from microveil.kernels.suppression.pieces import Pieces
from microveil.kernels.tables.classes import count_up, first_rows, group_rows

_STARTS = 8  # single keys from which the search starts
_MANY = 3_000  # with more rare classes one start is enough
_ROUNDS = 30


def suppress_own(codes: Ints, k: int, cost: Floats, times: Ints | None = None) -> Pieces:
    """Cells to blank so that every row occurs at least k times, blank being a value like any other.

    Rare classes that agree outside a subset of the keys may be blanked there together; where fewer than k
    records meet, records of frequent classes are blanked with them. Which class goes with which subset is
    improved by local search until no single move lowers the total cost. Needs k records. `times` says how many records
    have each row, which then falls into pieces where some of them are blanked with others.
    """
    pieces = Pieces.whole(codes.shape, times)
    subsets = useful_subsets(cost)
    totals = np.array([cost[list(subset)].sum() for subset in subsets])
    while True:
        labels, counts = _classes(pieces, codes)
        if counts.min() >= k:
            return pieces
        before = int(pieces.lost.sum())
        pieces = _one_round(pieces, codes, labels, counts, k, subsets, totals)
        if int(pieces.lost.sum()) == before:  # lenders ran out: all that is left open becomes equal
            labels, counts = _classes(pieces, codes)
            pieces = pieces._replace(cells=pieces.cells | _last_resort(labels, counts, k)[:, None])


def _classes(pieces: Pieces, codes: Ints) -> tuple[Ints, Ints]:
    """The class of equal rows of each piece, and the records of each class."""
    labels, _ = group_rows(pieces.blanked(codes))
    return labels, count_up(labels, pieces.times)


def _one_round(
    pieces: Pieces, codes: Ints, labels: Ints, counts: Ints, k: int, subsets: list[tuple[int, ...]], totals: Floats
) -> Pieces:
    rows, rare = pieces.blanked(codes)[first_rows(labels, len(counts))], np.flatnonzero(counts < k)
    spare = np.maximum(counts - k, 0)
    of = np.empty((len(rare), len(subsets)), dtype=np.int64)
    lenders, rates, offset = [], [], 0
    for s, subset in enumerate(subsets):
        advance(0.5 * s / len(subsets))
        line, number = _lines(rows, subset)
        used, of[:, s] = np.unique(line[rare], return_inverse=True)
        of[:, s] += offset
        offset += len(used)
        lenders.append(np.bincount(line, weights=spare, minlength=number)[used].astype(np.int64))
        rates.append(np.full(len(used), totals[s]))
    choice = _assign(of, counts[rare], np.concatenate(lenders), np.concatenate(rates), k)
    return _blank(pieces, rows, labels, counts, spare, rare, choice, subsets, k)


def _lines(rows: Ints, subset: tuple[int, ...]) -> tuple[Ints, int]:
    """For each class the line it is on: classes that agree on all keys outside the subset."""
    kept = [j for j in range(rows.shape[1]) if j not in subset]
    labels, sizes = group_rows(np.ascontiguousarray(rows[:, kept]))
    return labels, len(sizes)


@compiled
def _price(m: int, lenders: int, rate: float, k: int) -> float:
    """What a line with m rare records costs; far too much where lenders cannot fill it up to k."""
    if m == 0:
        return 0.0
    if m + lenders < k:
        return 1e6 * rate * m
    return rate * max(m, k)


@compiled
def _change(line: int, by: int, m: Ints, lenders: Ints, rates: Floats, k: int) -> float:
    """How the price of a line changes when `by` rare records come (or go)."""
    after = _price(m[line] + by, lenders[line], rates[line], k)
    return after - _price(m[line], lenders[line], rates[line], k)


@compiled
def _move(c: int, to: int, choice: Ints, of: Ints, weights: Ints, m: Ints) -> None:
    m[of[c, choice[c]]] -= weights[c]
    choice[c] = to
    m[of[c, to]] += weights[c]


@compiled
def _sweep(choice: Ints, of: Ints, weights: Ints, m: Ints, lenders: Ints, rates: Floats, k: int) -> bool:
    """Move each class where it lowers the cost most, or for nothing to a fuller line; whether any moved.

    Moves for nothing only go to fuller lines: they empty thin lines, and they end.
    """
    moved = False
    for c in range(len(of)):
        here = of[c, choice[c]]
        w = weights[c]
        saving = -_change(here, -w, m, lenders, rates, k)
        best, best_gain, fullest = -1, 1e-9, m[here]
        for s in range(of.shape[1]):
            line = of[c, s]
            if line == here:
                continue
            gain = saving - _change(line, w, m, lenders, rates, k)
            if gain > best_gain:
                best, best_gain = s, gain
            elif best_gain <= 1e-9 and abs(gain) <= 1e-9 and m[line] + w > fullest:
                best, fullest = s, m[line] + w
        if best >= 0:
            _move(c, best, choice, of, weights, m)
            moved = True
    return moved


@compiled
def _close(
    line: int, on: Ints, choice: Ints, of: Ints, weights: Ints, m: Ints, lenders: Ints, rates: Floats, k: int
) -> bool:
    """Spread the classes of a line over other lines if that is cheaper."""
    gain = _price(m[line], lenders[line], rates[line], k)
    before = choice[on].copy()
    for c in on:
        if of[c, choice[c]] != line:
            continue
        best, least = -1, np.inf
        for s in range(of.shape[1]):
            if of[c, s] != line:
                extra = _change(of[c, s], weights[c], m, lenders, rates, k)
                if extra < least:
                    best, least = s, extra
        gain -= least
        if best >= 0:
            _move(c, best, choice, of, weights, m)
    if gain > 1e-9:
        return True
    for i in range(len(on)):
        _move(on[i], before[i], choice, of, weights, m)
    return False


@compiled
def _open(
    line: int,
    along: int,
    on: Ints,
    everybody: bool,
    choice: Ints,
    of: Ints,
    weights: Ints,
    m: Ints,
    lenders: Ints,
    rates: Floats,
    k: int,
) -> bool:
    """Draw classes to a line, those that gain or everybody, if the whole move is cheaper."""
    gain = 0.0
    before = choice[on].copy()
    for c in on:
        if of[c, choice[c]] == line:
            continue
        here = of[c, choice[c]]
        saving = -_change(here, -weights[c], m, lenders, rates, k)
        extra = _change(line, weights[c], m, lenders, rates, k)
        if everybody or m[line] == 0 or saving >= extra - 1e-9:
            _move(c, along, choice, of, weights, m)
            gain += saving - extra
    if gain > 1e-9:
        return True
    for i in range(len(on)):
        _move(on[i], before[i], choice, of, weights, m)
    return False


@compiled
def _improve(
    choice: Ints, of: Ints, start: Ints, members: Ints, weights: Ints, lenders: Ints, rates: Floats, k: int, rounds: int
) -> float:
    """Local search by moves of single classes, closings and openings of lines; returns the cost reached."""
    m = np.zeros(len(rates), dtype=np.int64)
    for c in range(len(of)):
        m[of[c, choice[c]]] += weights[c]
    for _ in range(rounds):
        for _ in range(rounds):
            if not _sweep(choice, of, weights, m, lenders, rates, k):
                break
        better = False
        for line in range(len(rates)):
            on = members[start[line] : start[line + 1]]
            along = 0
            while of[on[0], along] != line:
                along += 1
            if m[line] > 0:
                better |= _close(line, on, choice, of, weights, m, lenders, rates, k)
            elif 1 < len(on) <= 8 * k:  # a long line is never worth filling with everybody
                better |= _open(line, along, on, True, choice, of, weights, m, lenders, rates, k)
            if len(on) > 1:
                better |= _open(line, along, on, False, choice, of, weights, m, lenders, rates, k)
        if not better:
            break
    total = 0.0
    for line in range(len(rates)):
        total += _price(m[line], lenders[line], rates[line], k)
    return total


def _assign(of: Ints, weights: Ints, lenders: Ints, rates: Floats, k: int) -> Ints:
    """The subset of each rare class: the best of several starts, each improved by local search.

    One start puts everybody on the subset whose line is cheapest per rare record; the others blank a single
    key wherever a line of that key can be filled.
    """
    classes, subsets = of.shape
    reach = np.bincount(of.reshape(-1), weights=np.repeat(weights, subsets), minlength=len(rates)).astype(np.int64)
    price = rates * np.maximum(reach, k) + np.where(reach + lenders < k, 1e6, 0.0) * reach
    share = (price / np.maximum(reach, 1) - 1e-6 * reach)[of]
    starts = [np.argmin(share, axis=1)]
    if classes <= _MANY:
        for s in range(min(subsets - 1, _STARTS)):
            possible = (reach + lenders)[of[:, s]] >= k
            starts.append(np.where(possible, s, starts[0]))
    members = np.argsort(of.reshape(-1), kind="stable") // subsets
    start = np.concatenate([[0], np.cumsum(np.bincount(of.reshape(-1), minlength=len(rates)))])
    results = [(_improve(begin, of, start, members, weights, lenders, rates, k, _ROUNDS), begin) for begin in starts]
    return np.asarray(min(results, key=lambda result: result[0])[1])


def _blank(
    pieces: Pieces,
    rows: Ints,
    labels: Ints,
    counts: Ints,
    spare: Ints,
    rare: Ints,
    choice: Ints,
    subsets: list[tuple[int, ...]],
    k: int,
) -> Pieces:
    """The cells of the assigned classes and of the records lent to them; lines that cannot be filled wait."""
    cells, lent = pieces.cells.copy(), _Lent(pieces, labels, len(counts))
    spare = spare.copy()
    for s in np.unique(choice).tolist():
        line, number = _lines(rows, subsets[s])
        members = rare[choice == s]
        size = np.bincount(line[members], weights=counts[members], minlength=number).astype(np.int64)
        short = np.flatnonzero((size > 0) & (size < k))
        frequent = np.flatnonzero((spare > 0) & np.isin(line, short))
        filled = size >= k
        for at in short.tolist():
            on_line = frequent[line[frequent] == at]
            if spare[on_line].sum() < k - size[at]:
                continue
            filled[at] = True
            for c in on_line[np.argsort(-spare[on_line], kind="stable")].tolist():
                taken = int(min(spare[c], k - size[at]))
                lent.take(c, taken, subsets[s])
                spare[c] -= taken
                size[at] += taken
        settled = np.zeros(len(counts), dtype=np.bool_)
        settled[members[filled[line[members]]]] = True
        cells[np.ix_(np.flatnonzero(settled[labels]), np.array(subsets[s]))] = True
    return pieces._replace(cells=cells).taken(lent.portions)


class _Lent:
    """Records lent by classes, the first ones first."""

    def __init__(self, pieces: Pieces, labels: Ints, classes: int) -> None:
        self._times = pieces.times
        self._order = np.argsort(labels, kind="stable")
        self._next = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=classes))])[:-1]
        self._used = np.zeros(classes, dtype=np.int64)  # records of the next piece that were lent before
        self.portions: dict[int, list[tuple[int, tuple[int, ...]]]] = {}

    def take(self, c: int, records: int, columns: tuple[int, ...]) -> None:
        """So many records more of a class, which lose these columns."""
        while records:
            piece = int(self._order[self._next[c]])
            taken = min(records, int(self._times[piece] - self._used[c]))
            if taken:
                self.portions.setdefault(piece, []).append((taken, columns))
            records -= taken
            self._used[c] += taken
            if self._used[c] == self._times[piece]:
                self._next[c] += 1
                self._used[c] = 0


def _last_resort(labels: Ints, counts: Ints, k: int) -> Bools:
    """All rare classes, and the smallest frequent ones as long as fewer than k records are blanked."""
    taken = counts < k
    for c in np.argsort(np.where(taken, np.iinfo(np.int64).max, counts), kind="stable"):
        if counts[taken].sum() >= k:
            break
        taken[c] = True
    return np.asarray(taken[labels])
