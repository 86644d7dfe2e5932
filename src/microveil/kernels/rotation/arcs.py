"""Arcs of a circle that bounds forbid, and angles in what is free of them."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled, inlined


@inlined
def add_arc(ends: Floats, count: int, centre: float, half: float, period: float) -> int:
    """Another arc of a circle, in two pieces where it runs over the beginning; the number of pieces there are."""
    start = (centre - half) % period
    stop = start + 2.0 * half
    ends[count, 0], ends[count, 1] = start, min(stop, period)
    if stop <= period:
        return count + 1
    ends[count + 1, 0], ends[count + 1, 1] = 0.0, stop - period
    return count + 2


@inlined
def sort_arcs(ends: Floats, order: Ints, count: int) -> None:
    """The arcs by where they begin: there are few, and each is put in its place among those before."""
    for s in range(count):
        at = s
        while at > 0 and ends[order[at - 1], 0] > ends[s, 0]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = s


@compiled
def draw_free(ends: Floats, order: Ints, count: int, period: float, share: float) -> tuple[float, float]:
    """The angle at a share of the free arcs of a circle of this length, and the length of these.

    A count below 0 stands for a circle of which nothing is free.
    """
    if count < 0:
        return 0.0, 0.0
    sort_arcs(ends, order, count)
    free, reached = 0.0, 0.0
    for s in range(count):
        start, stop = ends[order[s], 0], ends[order[s], 1]
        free += max(start - reached, 0.0)
        reached = max(reached, stop)
    free += max(period - reached, 0.0)
    left, reached = share * free, 0.0
    for s in range(count):
        start, stop = ends[order[s], 0], ends[order[s], 1]
        gap = max(start - reached, 0.0)
        if left < gap:
            return reached + left, free
        left -= gap
        reached = max(reached, stop)
    return reached + left, free


@compiled
def nearest_free(ends: Floats, order: Ints, count: int, period: float, wanted: float) -> float:
    """The free angle nearest to the one wanted, in whichever turn of the circle that lies; NaN if none is free."""
    if count < 0:
        return np.nan
    place = wanted % period
    turns = wanted - place
    sort_arcs(ends, order, count)
    before, after, reached = np.nan, np.nan, 0.0
    lowest, highest = np.nan, np.nan  # of all that is free, for the way round
    for s in range(count + 1):
        start = ends[order[s], 0] if s < count else period
        if start > reached:
            if np.isnan(lowest):
                lowest = reached
            highest = start
            if reached <= place <= start:
                return wanted
            if start < place:
                before = start
            elif np.isnan(after):
                after = reached
        if s < count:
            reached = max(reached, ends[order[s], 1])
    if np.isnan(lowest):
        return np.nan
    if np.isnan(before):
        before = highest - period
    if np.isnan(after):
        after = lowest + period
    return turns + (before if place - before < after - place else after)
