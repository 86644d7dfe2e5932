"""Released records that are an original one of their group in all but a little."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled

_SAME = 1e-12  # of an amount: what rounding may be off by
_ALL_PAIRS = 256  # records of a group: in larger ones a record is compared with the one that it came from only


def find_near_copies(new: Floats, old: Floats, labels: Ints, source: Ints, share: float) -> Bools:
    """Which new rows are within a share of an old row of their group in every column.

    The share is one of the old amount, and of the spread of the column in the group where that is less; an amount of 0
    has to be 0, and a gap a gap. Groups whose records are all equal hold no copies. Labels number the groups from 0, as
    they do for new and old rows alike; `source` is the row that each new one came from.
    """
    order = np.argsort(labels, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(labels)))
    found = np.zeros(len(new), dtype=np.bool_)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    found[order] = _find(new[order], old[order], starts, place[source[order]], share)
    return found


@compiled
def _find(new: Floats, old: Floats, starts: Ints, source: Ints, share: float) -> Bools:
    n, p = new.shape
    found, spread = np.zeros(n, np.bool_), np.empty(p)
    for g in range(len(starts) - 1):
        first, last = starts[g], starts[g + 1]
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
