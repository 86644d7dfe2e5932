"""Which released records may be whose: for each sought one, the records whose ranges meet its own in every column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.linkage.partners import in_blocks

# distances that differ by less are equal up to rounding
_RELATIVE = 1e-9


class Boxes(NamedTuple):
    """Records whose cells are ranges from `low` to `high`; minus to plus infinity: anything, the reverse: nothing.

    `at` is the place in the range from which distances are measured, NaN where there is none.
    """

    low: Floats
    high: Floats
    at: Floats


class Meeting(NamedTuple):
    """For each sought record how many it meets (`sizes`), and these listed from `start` on with squared distances.

    Of a record that meets more than were to be listed only the nearest are.
    """

    sizes: Ints
    start: Ints
    candidate: Ints
    apart: Floats

    @property
    def listed(self) -> Ints:
        """How many are listed of each."""
        return np.diff(self.start)


def find_meeting(asked: Boxes, shown: Boxes, most: int) -> Meeting:
    """The records of `shown` that meet each of `asked` in every column; distances are squares."""
    width = asked.low.shape[1]
    order = np.argsort(shown.low, axis=0, kind="stable")
    first, last = np.empty((2, len(asked.low), width), dtype=np.int64)
    for j in range(width):
        low, high = shown.low[order[:, j], j], shown.high[order[:, j], j]
        # no record before this one reaches as far as the lower end
        first[:, j] = np.searchsorted(np.maximum.accumulate(high), asked.low[:, j], "left")
        last[:, j] = np.searchsorted(low, asked.high[:, j], "right")
    lead = np.argmin(last - first, axis=1)
    sizes, listed = np.zeros((2, len(asked.low)), dtype=np.int64)
    nearest = np.full(len(asked.low), np.inf)

    def count(chosen: Ints) -> None:
        _count(asked, shown, order, first, last, lead, chosen, most, sizes, listed, nearest)

    in_blocks(count, np.arange(len(asked.low)))
    start = np.concatenate([[0], np.cumsum(listed)])
    candidate, apart = np.empty(start[-1], dtype=np.int64), np.empty(start[-1])

    def fill(chosen: Ints) -> None:
        _fill(asked, shown, order, first, last, lead, chosen, most, sizes, nearest, start, candidate, apart)

    in_blocks(fill, np.arange(len(asked.low)))
    return Meeting(sizes, start, candidate, apart)


@compiled
def _apart(asked: Boxes, q: int, shown: Boxes, r: int) -> float:
    """The squared distance of two records, -1 where the ranges of a column do not meet."""
    total = 0.0
    for j in range(asked.low.shape[1]):
        if shown.low[r, j] > asked.high[q, j] or shown.high[r, j] < asked.low[q, j]:
            return -1.0
        d = asked.at[q, j] - shown.at[r, j]
        if not np.isnan(d):
            total += d * d
    return total


@compiled
def _count(
    asked: Boxes,
    shown: Boxes,
    order: Ints,
    first: Ints,
    last: Ints,
    lead: Ints,
    chosen: Ints,
    most: int,
    sizes: Ints,
    listed: Ints,
    nearest: Floats,
) -> None:
    for q in chosen:
        j = lead[q]
        ties = 0
        for place in range(first[q, j], last[q, j]):
            d = _apart(asked, q, shown, order[place, j])
            if d < 0.0:
                continue
            sizes[q] += 1
            if d < nearest[q] * (1.0 - _RELATIVE):
                nearest[q] = d
                ties = 1
            elif d <= nearest[q] * (1.0 + _RELATIVE):
                ties += 1
        listed[q] = sizes[q] if sizes[q] <= most else min(ties, most)


@compiled
def _fill(
    asked: Boxes,
    shown: Boxes,
    order: Ints,
    first: Ints,
    last: Ints,
    lead: Ints,
    chosen: Ints,
    most: int,
    sizes: Ints,
    nearest: Floats,
    start: Ints,
    candidate: Ints,
    apart: Floats,
) -> None:
    for q in chosen:
        j = lead[q]
        at = start[q]
        for place in range(first[q, j], last[q, j]):
            r = order[place, j]
            d = _apart(asked, q, shown, r)
            if d < 0.0 or at == start[q + 1] or (sizes[q] > most and d > nearest[q] * (1.0 + _RELATIVE)):
                continue
            candidate[at] = r
            apart[at] = d
            at += 1
