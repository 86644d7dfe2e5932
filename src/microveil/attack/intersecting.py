"""Candidates that every column allows: what an intersection claims, and how one of several candidates is chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.attack.guesses import Answer, Guesses
from microveil.attack.one_to_one import can_match, match_one_to_one
from microveil.attack.ranges import Sides, as_boxes
from microveil.core.arrays import Ints
from microveil.core.words import counted
from microveil.kernels.linkage.boxes import Meeting, find_meeting

MOST_LISTED = 1_000  # candidates of one record; a larger set finds it with less than one in as many


def intersect(columns: Sequence[Sides], notes: tuple[str, ...] = ()) -> Answer:
    """The answer from the ranges of all columns: any candidate, the nearest one, and one-to-one where affordable."""
    met = find_meeting(*as_boxes(columns), MOST_LISTED)
    readings = {
        "any candidate": Guesses.of_sets(met.start, met.candidate, met.sizes),
        "nearest candidate": Guesses.of_nearest(met.start, met.candidate, met.apart),
    }
    released = len(columns[0][1][0])
    if can_match(len(met.sizes) * released):
        readings["one-to-one"] = Guesses.of_one_each(assign_candidates(met, released))
    return Answer(readings, met.sizes == 1, (*notes, *_tell_unlisted(met)))


def assign_candidates(met: Meeting, released: int) -> Ints:
    """A candidate of each sought record, none twice, at least total distance; -1 where none is left."""
    sought = np.repeat(np.arange(len(met.sizes)), met.listed)
    # no sum of distances makes up for one who is no candidate
    never = 4.0 * (float(met.apart.sum()) + 1.0)
    cost = np.full((len(met.sizes), released), never)
    cost[sought, met.candidate] = met.apart
    return match_one_to_one(cost, never)


def _tell_unlisted(met: Meeting) -> tuple[str, ...]:
    many = int((met.sizes > met.listed).sum())
    if not many:
        return ()
    whose = counted(many, "record")
    return (f"{whose} have more than {MOST_LISTED:,} candidates, of which only the nearest were compared",)
