"""Candidates that every column allows: what an intersection claims, and how one of several candidates is chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.attack.guesses import Answer, Guesses
from microveil.attack.ranges import Sides, as_boxes
from microveil.core.arrays import Ints
from microveil.core.words import counted
from microveil.kernels.linkage.boxes import Meeting, find_meeting

MOST_LISTED = 1_000  # candidates of one record; a larger set finds it with less than one in as many
MOST_ASSIGNED = 9_000_000  # pairs of records up to which the files are matched one to one


def intersect(columns: Sequence[Sides], notes: tuple[str, ...] = ()) -> Answer:
    """The answer from the ranges of all columns: any candidate, the nearest one, and one-to-one where affordable."""
    met = find_meeting(*as_boxes(columns), MOST_LISTED)
    readings = {
        "any candidate": Guesses.of_sets(met.start, met.candidate, met.sizes),
        "nearest candidate": Guesses.of_nearest(met.start, met.candidate, met.apart),
    }
    released = len(columns[0][1][0])
    if len(met.sizes) * released <= MOST_ASSIGNED:
        readings["one-to-one"] = Guesses.of_one_each(assign_candidates(met, released))
    return Answer(readings, met.sizes == 1, (*notes, *_tell_unlisted(met)))


def assign_candidates(met: Meeting, released: int) -> Ints:
    """A candidate of each sought record, none twice, at least total distance; -1 where none is left."""
    from scipy.optimize import linear_sum_assignment

    sought = np.repeat(np.arange(len(met.sizes)), met.listed)
    # no sum of distances makes up for one who is no candidate
    never = 4.0 * (float(met.apart.sum()) + 1.0)
    cost = np.full((len(met.sizes), released), never)
    cost[sought, met.candidate] = met.apart
    rows, chosen = linear_sum_assignment(cost)
    found = np.full(len(met.sizes), -1, dtype=np.int64)
    found[rows] = np.where(cost[rows, chosen] < never, chosen, -1)
    return found


def _tell_unlisted(met: Meeting) -> tuple[str, ...]:
    many = int((met.sizes > met.listed).sum())
    if not many:
        return ()
    whose = counted(many, "record")
    return (f"{whose} have more than {MOST_LISTED:,} candidates, of which only the nearest were compared",)
