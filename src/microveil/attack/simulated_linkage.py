"""Linkage by what the public plan makes of known values, run by the intruder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.category_prices import find_prices
from microveil.attack.guesses import Answer, Guesses
from microveil.attack.images import offer_images
from microveil.attack.intersecting import MOST_LISTED
from microveil.attack.joint_odds import JointOdds, choose_images, join
from microveil.attack.nearest import guess_members
from microveil.attack.one_to_one import can_match, match_one_to_one
from microveil.attack.simulating import Simulated, simulate
from microveil.attack.sureness import chance_of_nearest, least_chance
from microveil.attack.view import View
from microveil.core.arrays import Bools, Floats, Ints
from microveil.kernels.linkage.odds import IMPOSSIBLE
from microveil.kernels.tables.classes import first_rows, group_rows
from microveil.measure.keys import common_codes
from microveil.measure.sampling import Sample

_LISTED = 30
_TRIED = 500  # records of an own run by which claims are tried
_TIED = 1e-6  # of a cost, which counts in standard deviations, squared


@dataclass(frozen=True, kw_only=True)
class SimulatedLinkage(Attack, name="simulated-linkage"):
    """Per cent of records found by one who runs the public plan on the known values, and learns what it does to them.

    Use it for any plan, above all where steps follow one another or protect columns apart: own runs show what a known
    record becomes on average, how released amounts scatter around that, and how likely each category is. Of all
    released records the likeliest is taken by all columns together, or both files are matched one to one. Where a step
    reads columns that the intruder does not know, the scatter is learnt from the release besides.
    """

    for_any_release: ClassVar[bool] = True
    runs_plan: ClassVar[bool] = True
    whole_release: ClassVar[bool] = False  # the plan is run on the part that is looked at
    overview_sample: ClassVar[Sample | None] = Sample("searched", 3_000)
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Linkage by own runs of the plan"
    reference: ClassVar[str] = "Houssiau et al. 2022; Abril, Navarro-Arribas & Torra 2012"
    advice: ClassVar[str] = (
        "Each step hides less than it seems where the steps are taken together: who runs the public plan knows what "
        "becomes of a record. Group keys and amounts together, so that k records share both, or protect more strongly."
    )

    def guess(self, view: View) -> Answer | str:
        """Run the plan, learn from the runs, and take the likeliest records."""
        simulated = simulate(view)
        if isinstance(simulated, str):
            return simulated
        labels, counts = group_rows(view.released.only(view.known.names).codes())
        odds = _evidence(view, simulated).at(first_rows(labels, len(counts)))
        readings, chances = _read(odds, labels, counts)
        if not all(one.chain.exact for one in simulated):
            learnt, _ = _read(odds.learnt(), labels, counts)
            readings |= {f"{name}, learnt": guesses for name, guesses in learnt.items()}
        sure = chances >= _least_chance(_evidence(view, simulated, held_out=True))
        return Answer(readings, sure)


def _evidence(view: View, simulated: list[Simulated], held_out: bool = False) -> JointOdds:
    """What all columns say about the release, or about the first own run in its place."""
    images = [choose_images(offered) for one in simulated if (offered := offer_images(view, one))]
    prices = [
        found
        for one in simulated
        for name in one.columns
        if (found := find_prices(view, one, name, held_out)) is not None
    ]
    same = common_codes(view.known.only(view.untouched), view.released.only(view.untouched))
    return join(images, prices, (same[0], same[0]) if held_out else same, held_out)


def _read(odds: JointOdds, labels: Ints, counts: Ints) -> tuple[dict[str, Guesses], Floats]:
    """The likeliest released records, and one of each by a matching if affordable; and how likely the likeliest is."""
    size = min(_LISTED, len(counts))
    near, cost = odds.nearest(size)
    tied = _are_tied(cost)
    while size < min(len(counts), MOST_LISTED) and tied.all(axis=1).any():
        size = min(4 * size, len(counts), MOST_LISTED)
        near, cost = odds.nearest(size)
        tied = _are_tied(cost)
    readings = {"likeliest": guess_members(np.nonzero(tied)[0], near[tied], len(tied), labels)}
    if can_match(len(near) * len(labels)):
        matched = match_one_to_one(odds.costs()[:, labels], IMPOSSIBLE)
        readings["one-to-one"] = Guesses.of_one_each(matched)
    return readings, chance_of_nearest(cost, counts[near])


def _least_chance(held_out: JointOdds) -> float:
    """The probability from which on claims about an own run, in which row i of both files is one record, are right."""
    rows = np.arange(min(_TRIED, len(held_out.image)))  # their order carries nothing
    near, cost = held_out.nearest(min(_LISTED, len(held_out.released)), rows)
    return least_chance(chance_of_nearest(cost), near[:, 0] == rows)


def _are_tied(cost: Floats) -> Bools:
    with np.errstate(invalid="ignore"):
        return np.asarray(cost <= cost[:, :1] * (1 + 1e-9) + _TIED) & np.isfinite(cost)
