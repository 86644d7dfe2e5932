"""Intersection attack on individual ranking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.guesses import Answer
from microveil.attack.intersecting import intersect
from microveil.attack.masked import find_masked
from microveil.attack.ranges import Sides, anything_in_gaps, equal_columns, in_domains, nothing_in_gaps
from microveil.attack.view import View
from microveil.core.arrays import Floats
from microveil.mask.individual_ranking import IndividualRanking
from microveil.mask.microaggregation import Microaggregation
from microveil.partition import MDAV
from microveil.run.contract import MethodContract

Neighbours = Literal["both", "nearest"]


@dataclass(frozen=True, kw_only=True)
class CentroidIntersection(Attack, name="centroid-intersection"):
    """Per cent of records found by one who knows that values became averages of those next to them.

    Use it for individual ranking: a known value lies between two neighbouring averages, and its record shows one of
    them, in every column. With `both` the true record is never excluded, and a link is certain where one record is
    left. `nearest` takes the nearer average alone: more links are claimed, and a few of them are false.
    """

    neighbours: Annotated[Neighbours, "the averages on both sides of a known value, or the nearer one alone"] = "both"
    assumed: Annotated[bool, "take columns for averages where nobody knows what was done"] = False

    quick: ClassVar[bool] = True
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Intersection of neighbouring averages"
    reference: ClassVar[str] = "Winkler 2002; Nin & Torra 2009"
    advice: ClassVar[str] = (
        "Values averaged column by column stay between their neighbours, and two or three columns together show whose "
        "they are. A larger k helps little: average all columns in groups of k together (microaggregation, "
        "micro-hybrid), which bounds what is found by 1/k."
    )

    def guess(self, view: View) -> Answer | str:
        """Intersect the averages that the record of each one sought may show."""
        stated = IndividualRanking() if self.assumed else None
        ranked = find_masked(view, self.name, stated, f"{type(self).__name__}(assumed=True)", after_settled=True)
        if isinstance(ranked, str):
            return ranked
        beside = partial(average_ranges, neighbours=self.neighbours)
        columns = equal_columns(view, view.untouched)
        for masked in ranked:
            columns += [in_domains(view, name, masked.by, beside, masked.before.get(name)) for name in masked.columns]
        return intersect(columns)

    def stronger(self, method: MethodContract) -> MethodContract | None:
        """Groups of as many records over all columns together."""
        if not isinstance(method, IndividualRanking):
            return None
        return Microaggregation(partition=MDAV(k=method.k))


def average_ranges(known: Floats, released: Floats, neighbours: Neighbours) -> Sides:
    """The averages, numbered from the smallest, that a known value may have become, and those of released records.

    A value that equals an average may belong to either neighbour too: the whole group may consist of that value.
    """
    averages = np.unique(released[~np.isnan(released)])
    if not len(averages):
        averages = np.zeros(1)  # a column without any value: there is nothing to meet
    own = np.asarray(np.searchsorted(averages, released), np.float64)
    if neighbours == "nearest":
        middles = (averages[1:] + averages[:-1]) / 2
        low, high = (np.asarray(np.searchsorted(middles, known, side), np.float64) for side in ("left", "right"))
    else:
        low = np.asarray(np.searchsorted(averages, known, "left"), np.float64) - 1
        high = np.asarray(np.searchsorted(averages, known, "right"), np.float64)
    # where it stands between its neighbours: near averages are told apart as finely as far ones
    at = np.interp(known, averages, np.arange(len(averages)))
    return anything_in_gaps(known, low, high, at), nothing_in_gaps(released, own, own, own)
