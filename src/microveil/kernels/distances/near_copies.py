"""Released records that are an original one of their group in all but a little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled

_SAME = 1e-12  # of an amount: what rounding may be off by
_ALL_PAIRS = 256  # records of a group: in larger ones a record is compared with the one that it came from only
_WIDER = 4.0  # times as far: how many are near by chance follows from how many are near there
_ERRORS = 3.0  # standard errors above chance that are no chance any more


@dataclass(frozen=True)
class NearCopies:
    """Which new rows are near an old one of their group, and how many would be by chance."""

    rows: Bools
    by_chance: float

    @property
    def count(self) -> int:
        """How many they are."""
        return int(np.count_nonzero(self.rows))

    @property
    def beyond_chance(self) -> bool:
        """Whether they are clearly more than chance brings near."""
        return bool(self.count > self.by_chance + _ERRORS * np.sqrt(self.by_chance))


def find_near_copies(
    new: Floats, old: Floats, labels: Ints, source: Ints, share: float, equations: Floats | None = None
) -> NearCopies:
    """The new rows within a share of an old row of their group in every column.

    The share is one of the old amount, and of the spread of the column in the group where that is less; an amount of 0
    has to be 0, and a gap a gap. Groups whose records are all equal hold no copies. In a group with a single free
    column rows have to be equal: one amount comes near some other by chance, and tells nothing but itself. Labels
    number the groups from 0, as they do for new and old rows alike; `source` is the row that each new one came from,
    `equations` hold the coefficients of columns that add up to a constant.
    """
    order = np.argsort(labels, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(labels)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    rows, others, came = new[order], old[order], place[source[order]]
    free = _free_columns(others, starts, np.zeros((0, old.shape[1])) if equations is None else equations)
    shares = np.where(free > 1, share, 0.0)
    near = _find(rows, others, starts, came, shares)
    found = np.zeros(len(new), dtype=np.bool_)
    found[order] = near
    if not near.any():
        return NearCopies(found, 0.0)
    # copies are near at any distance, others the more often the farther one looks, by the room that there is
    wider = _find(rows, others, starts, came, _WIDER * shares)
    more = np.add.reduceat((wider & ~near).astype(np.float64), starts[:-1])
    return NearCopies(found, float((more / np.maximum(_WIDER ** free.astype(np.float64) - 1.0, 1.0)).sum()))


def _free_columns(old: Floats, starts: Ints, equations: Floats) -> Ints:
    """How many columns of each group may vary by themselves: those that vary, less what equations say of them."""
    low = np.fmin.reduceat(old, starts[:-1], axis=0)
    high = np.fmax.reduceat(old, starts[:-1], axis=0)
    kinds, of_group = np.unique(low < high, axis=0, return_inverse=True)
    free = [int(varies.sum()) - _rank(equations[:, varies]) for varies in kinds]
    return np.array(free, dtype=np.int64)[of_group.reshape(-1)]


def _rank(equations: Floats) -> int:
    return int(np.linalg.matrix_rank(equations)) if equations.size else 0


@compiled
def _find(new: Floats, old: Floats, starts: Ints, source: Ints, shares: Floats) -> Bools:
    n, p = new.shape
    found, spread = np.zeros(n, np.bool_), np.empty(p)
    for g in range(len(starts) - 1):
        first, last, share = starts[g], starts[g + 1], shares[g]
        if not _measure_spread(old, first, last, spread):
            continue
        for i in range(first, last):
            if last - first > _ALL_PAIRS:
                found[i] = _is_near(new, old, i, source[i], spread, share)
                continue
            for j in range(first, last):
                if _is_near(new, old, i, j, spread, share):
                    found[i] = True
                    break
    return found


@compiled
def _measure_spread(old: Floats, first: int, last: int, spread: Floats) -> bool:
    """The standard deviation of each column in a group; whether any column varies."""
    varies = False
    for c in range(old.shape[1]):
        count, mean, squares = 0, 0.0, 0.0
        for i in range(first, last):
            if not np.isnan(old[i, c]):
                count += 1
                off = old[i, c] - mean
                mean += off / count
                squares += off * (old[i, c] - mean)
        spread[c] = np.sqrt(squares / count) if count else 0.0
        varies |= spread[c] > 0.0
    return varies


@compiled
def _is_near(new: Floats, old: Floats, i: int, j: int, spread: Floats, share: float) -> bool:
    for c in range(new.shape[1]):
        if np.isnan(old[j, c]) or np.isnan(new[i, c]):
            if np.isnan(old[j, c]) != np.isnan(new[i, c]):
                return False
        elif abs(new[i, c] - old[j, c]) > share * min(spread[c], abs(old[j, c])) + _SAME * abs(old[j, c]):
            return False
    return True
