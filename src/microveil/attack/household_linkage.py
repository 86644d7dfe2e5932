"""Whole households found by all of their members together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.found_households import HouseholdsFound
from microveil.attack.guesses import Answer, Guesses
from microveil.attack.homes import Homes, members_by_size
from microveil.attack.household_search import OFFERED, are_tied, assign_members, find_near, is_clear
from microveil.attack.member_costs import MemberCosts, Scale, has_amounts
from microveil.attack.nearest import guess_members
from microveil.attack.one_to_one import can_match, match_one_to_one
from microveil.attack.reverse_mapping import share_ranks
from microveil.attack.view import View
from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.words import counted
from microveil.kernels.tables.classes import first_rows, group_rows
from microveil.measure.sampling import Sample

_SURE = 4.0  # the next household costs at least so many times as much


@dataclass(frozen=True, kw_only=True)
class HouseholdLinkage(Attack, name="household-linkage"):
    """Per cent of records found by an intruder who knows all members of a household and looks for them together.

    Use it where a release shows who lives with whom, by household numbers of any kind: each member may hide among k
    records, and hardly two households have the same members. Of the released households of the same size the one is
    taken whose members can be assigned at the least total distance; keys must lie in their classes, columns that nobody
    changed must agree. The intruder is taken to know which members are in the release. Records living alone count as
    households of one. A proof of one in k speaks of single records, not of this intruder.
    """

    for_any_release: ClassVar[bool] = True
    whole_release: ClassVar[bool] = False  # distances are those of the part that is looked at
    by_household: ClassVar[bool] = True
    bounded_by_k: ClassVar[bool] = False
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many households tell the share
    overview_sample: ClassVar[Sample | None] = Sample("households", 4_000)
    title: ClassVar[str] = "Whole households"
    reference: ClassVar[str] = "Domingo-Ferrer & Torra 2001, on households"
    advice: ClassVar[str] = (
        "Members tell a household together, however well each hides. Leave the household number out, release one"
        " person of each household, or protect households as records of their own."
    )

    def guess(self, view: View) -> Answer | str:
        """Take for every household the released one that its members fit best."""
        if view.homes is None:
            return "the files have no column with the role household, so that nobody sees who lives with whom"
        if not _share(view.homes.released) or not _share(view.homes.known):
            return "no two records are of one household"
        amounts = [name for name in view.known.names if has_amounts(view, name) and name not in view.untouched]
        scales: dict[str, Scale] = {"nearest": _standardised}
        if amounts:
            scales["nearest in ranks"] = share_ranks
        linked = {way: _link(view, view.homes, MemberCosts.of(view, scale)) for way, scale in scales.items()}
        readings = {way: one.guesses for way, one in linked.items()}
        readings |= {f"{way}, one-to-one": one.matched for way, one in linked.items() if one.matched is not None}
        first = next(iter(linked.values()))
        return Answer(readings, first.sure, _tell_open(linked), (HouseholdsFound(view.homes, readings),))


class _Linked(NamedTuple):
    guesses: Guesses
    sure: Bools
    matched: Guesses | None
    unsettled: int  # households of which a nearer one may not have been compared


class _Guessed(NamedTuple):
    """Rows of those sought, of the records guessed for them, and with which probability."""

    sought: Ints
    candidate: Ints
    probability: Floats


class _OfSize(NamedTuple):
    """What is found of the households of one size."""

    guessed: _Guessed
    matched: _Guessed | None
    sure: Bools
    unsettled: int


def _link(view: View, homes: Homes, costs: MemberCosts) -> _Linked:
    """Every known household beside the released ones of its size."""
    known, released = members_by_size(homes.known), members_by_size(homes.released)
    equal = group_rows(view.released.codes(view.known.names))[0]
    found = {size: _of_size(costs, rows, released[size], equal) for size, rows in known.items() if size in released}
    sure = np.zeros(view.known.rows, dtype=np.bool_)
    for size, one in found.items():
        sure[known[size][one.sure]] = True
    guesses = _joined([one.guessed for one in found.values()], view.known.rows)
    matched = [one.matched for one in found.values() if one.matched is not None]
    one_to_one = _joined(matched, view.known.rows) if len(matched) == len(found) else None
    return _Linked(guesses, sure, one_to_one, sum(one.unsettled for one in found.values()))


def _of_size(costs: MemberCosts, known: Ints, released: Ints, equal: Ints) -> _OfSize:
    """Known and released households of one size, given the class of equal records of each released one."""
    look, counts = group_rows(np.sort(equal[released], axis=1))
    points = released[first_rows(look, len(counts))]
    near = find_near(costs, known, points)
    which, place = np.nonzero(are_tied(near.cost))
    point = near.candidate[which, place]
    homes = guess_members(which, point, len(known), look)
    guessed = _by_members(costs, known[homes.sought], released[homes.candidate], homes.probability)
    alone = np.bincount(which, counts[point], len(known)) == 1
    matched = None
    every = near.candidate.shape[1] == len(points) and bool((near.candidate == np.arange(len(points))).all())
    if every and can_match(len(known) * len(released)):
        chosen = match_one_to_one(near.cost[:, look])
        there = np.flatnonzero(chosen >= 0)
        matched = _by_members(costs, known[there], released[chosen[there]], np.ones(len(there)))
    return _OfSize(guessed, matched, is_clear(near, _SURE) & alone, int((~near.settled).sum()))


def _tell_open(linked: Mapping[str, _Linked]) -> tuple[str, ...]:
    most = max(one.unsettled for one in linked.values())
    if not most:
        return ()
    return (f"of {counted(most, 'household')} only the {OFFERED} likeliest candidates were compared member by member",)


def _by_members(costs: MemberCosts, known: Ints, released: Ints, weight: Floats) -> _Guessed:
    """Guesses at households as guesses at the records of their members."""
    own = assign_members(costs, known, released)[1]
    return _Guessed(known.reshape(-1), own.reshape(-1), np.repeat(weight, known.shape[1]))


def _joined(parts: Sequence[_Guessed], sought: int) -> Guesses:
    """All guesses by whom they are about."""
    whose = np.concatenate([np.empty(0, dtype=np.int64), *(part.sought for part in parts)])
    order = np.argsort(whose, kind="stable")
    candidate = np.concatenate([np.empty(0, dtype=np.int64), *(part.candidate for part in parts)])[order]
    probability = np.concatenate([np.empty(0), *(part.probability for part in parts)])[order]
    return Guesses(np.concatenate([[0], np.cumsum(np.bincount(whose, minlength=sought))]), candidate, probability)


def _share(homes: Ints) -> bool:
    return bool((np.bincount(homes) > 1).any())


def _standardised(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Both files by the spread of the release, in units in which unrelated records differ by about 1, squared."""
    if not x.shape[1]:
        return x, y
    centre, spread = np.nanmean(y, axis=0), np.sqrt(2.0) * np.nanstd(y, axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return (x - centre) / spread, (y - centre) / spread
