"""Base of attacks that ask whether somebody's record was in the file at all: who was is known here alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from microveil.attack.base import Scored
from microveil.attack.held_out import HeldOutAttack
from microveil.attack.hiding import hide_order
from microveil.attack.rerunning import rerun
from microveil.attack.side_by_side import SideBySide, put_side_by_side
from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.errors import BadInput, MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Range
from microveil.core.streams import Key, Streams
from microveil.core.words import counted
from microveil.data.microdata import AnyData, Microdata
from microveil.measure import Pair
from microveil.measure.sampling import Sample

MOST_TESTED = 2_000  # members, and as many others
MOST_IN_HALF = 10_000  # records that a shadow release is made from
FEWEST = 20  # records of others, half of whom are tested
_FALSE_ALARMS = 0.01


class Tested(NamedTuple):
    """Scores of tested records by each way of reading, whom the intruder is sure of, and who was in the file."""

    scores: Mapping[str, Floats]
    sure: Bools
    member: Bools


@dataclass(frozen=True, kw_only=True)
class MembershipAttack(HeldOutAttack):
    """Base of attacks on membership: members implement `scores(files)` and never see who was in the file.

    The figure is the advantage: the share of members called members less the share of others called so, in per cent,
    where the half of the tested with the highest scores is called members. Guessing has 0, and certainty 100.
    """

    paired: ClassVar[bool] = False
    overview_sample: ClassVar[Sample | None] = None
    gains: ClassVar[bool] = True

    shadows: Annotated[int, Range(ge=1, le=100), "releases made from halves of the file where there is no hold-out"] = 2

    # -- for members -----------------------------------------------------------------------------

    def scores(self, files: SideBySide) -> tuple[Mapping[str, Floats], Bools]:
        """For each tested record how much it looks like a member, by each way of reading, and whether that is sure."""
        raise TypeError(f"{type(self).__name__} must implement scores(files)")

    # -- what every attack on membership does ----------------------------------------------------

    def beside(self, pair: Pair, holdout: AnyData) -> Measured | NotApplicable:
        """The advantage with half of the hold-out as what the intruder knows of the population, the others tested.

        Without any, the plan of the release is run again on halves of the original, whose other halves are held out.
        """
        others = Microdata.of(holdout)
        absent = [name for name in self.choose(pair) if name not in others.columns]
        if absent:
            raise BadInput(f"the hold-out has no column {absent}; it needs all columns that the intruder knows")
        if others.n < FEWEST:
            raise BadInput(f"the hold-out has {counted(others.n, 'record')}; give {FEWEST} or more")
        return self._told_of([self._tested(self.choose(pair), _members(pair), others, pair.after)], "")

    def on(self, pair: Pair) -> Measured | NotApplicable:
        names = self.choose(pair)
        if not names:
            return self.not_applicable("there is no column that the intruder could know")
        if pair.plan is None:
            return self.not_applicable(
                "nobody knows how this file was made; give the release itself, or records that were not in the "
                "original with holdout=..."
            )
        known = _hidden(pair.before, pair.rows_before, names)
        if known.n < 2 * FEWEST:
            return self.not_applicable(f"{counted(known.n, 'record')} are too few to hold out half of them")
        try:
            tested = [self._shadow(pair, names, known, number) for number in range(self.shadows)]
        except MicroveilError as problem:
            return self.not_applicable(f"its plan cannot be run on half of the file ({problem}); give holdout=...")
        half = min(known.n // 2, MOST_IN_HALF)
        return self._told_of(
            tested,
            f"measured on {counted(self.shadows, 'release')} made by the same plan from {half:,} of the records each, "
            "with the others held out",
        )

    def _scored(self, pair: Pair) -> Scored | str:  # there is no record to look at
        return "it asks who was in the file, and finds nobody's record"

    def _shadow(self, pair: Pair, names: tuple[str, ...], known: Microdata, number: int) -> Tested:
        """Test on a release of half of the file, the other half held out."""
        assert pair.plan is not None
        drawn = Streams(Key.of(0)).at("halves of a file", number).order(known.n)
        half = min(known.n // 2, MOST_IN_HALF)
        inside, outside = (_rows(known, np.sort(rows)) for rows in (drawn[:half], drawn[half : 2 * half]))
        return self._tested(names, inside, outside, rerun(pair.plan, inside, Key.of(number)).data)

    def _tested(self, names: tuple[str, ...], inside: Microdata, outside: Microdata, released: Microdata) -> Tested:
        """Scores of some members and as many others; the rest of the others is what the intruder knows besides."""
        members, others = (_order(data, names) for data in (inside, outside))
        count = min(len(members), len(others) // 2, MOST_TESTED)
        files = put_side_by_side(
            names,
            known=(_rows(inside, members[:count]), _rows(outside, others[:count])),
            released=released,
            reference=_rows(outside, others[count:]),
        )
        scores, sure = self.scores(files)
        return Tested(scores, sure, np.arange(2 * count) < count)

    def _told_of(self, tested: Sequence[Tested], how: str) -> Measured:
        value = float(np.mean([chosen_apart(one) for one in tested]))
        readings = {
            name: float(np.mean([advantage(one.scores[name], one.member) for one in tested]))
            for name in tested[0].scores
        }
        early = {
            name: float(np.mean([found_early(one.scores[name], one.member) for one in tested]))
            for name in tested[0].scores
        }
        count = sum(len(one.member) for one in tested)
        claims = sum(int(one.sure.sum()) for one in tested)
        right = sum(int((one.sure & one.member).sum()) for one in tested)
        reach = 196.0 / math.sqrt(count)  # of the difference of two shares near a half
        shown = min(max(value, 0.0), 100.0)
        return self.measured(
            shown,
            parts={
                "certain": 100.0 * claims / count,
                "precision": right / claims if claims else 0.0,
                "baseline": 50.0,
                "right": 50.0 + value / 2,
                f"found at {100 * _FALSE_ALARMS:g} % false alarms": max(early.values()),
                **readings,
            },
            interval=(min(max(value - reach, 0.0), shown), max(min(value + reach, 100.0), shown)),
            reading=(
                f"Who asks whether somebody was in the file is right for {format_number(50 + value / 2)} % of "
                f"{counted(count, 'record')}, where guessing is right for 50 %: an advantage of "
                f"{format_number(shown)} %."
            ),
            notes=(how,) if how else (),
        )


def advantage(scores: Floats, member: Bools) -> float:
    """Share of members less share of others among the half with the highest scores, in per cent.

    Members and others are as many; equal scores at the border share what is left of the half. Nobody has to know who
    is a member to draw the border, so that the figure is 0 on average where scores say nothing.
    """
    half = len(scores) / 2
    border = np.sort(scores)[::-1][int(np.ceil(half)) - 1]
    above, at = scores > border, scores == border
    claimed = above + at * (half - above.sum()) / at.sum()
    return 100.0 * float(claimed[member].mean() - claimed[~member].mean())


def chosen_apart(tested: Tested) -> float:
    """The advantage by the best way of reading, which is chosen on one half of the tested and judged on the other.

    The best of several on the same records would be above 0 by chance.
    """
    even = np.zeros(len(tested.member), dtype=np.bool_)
    for group in (tested.member, ~tested.member):
        even[np.flatnonzero(group)[::2]] = True
    found = []
    for here, there in ((even, ~even), (~even, even)):
        by_name = {name: advantage(scores[here], tested.member[here]) for name, scores in tested.scores.items()}
        best = max(by_name, key=lambda name: by_name[name])
        found.append(advantage(tested.scores[best][there], tested.member[there]))
    return float(np.mean(found))


def found_early(scores: Floats, member: Bools) -> float:
    """Per cent of members whose scores are above those of all but a few of the others."""
    border = float(np.quantile(scores[~member], 1 - _FALSE_ALARMS, method="higher"))
    return 100.0 * float((scores[member] > border).mean())


def _members(pair: Pair) -> Microdata:
    """The originals that the release is of: those that have a record, or all of a synthetic file."""
    rows = pair.rows_before if pair.link is None or (pair.link < 0).all() else np.unique(pair.link[pair.link >= 0])
    return _rows(pair.before, rows)


def _hidden(data: Microdata, rows: Ints, names: Sequence[str]) -> Microdata:
    """Some records in an order that does not follow the one they stood in."""
    some = _rows(data, rows)
    return _rows(some, _order(some, names))


def _order(data: Microdata, names: Sequence[str]) -> Ints:
    return hide_order(data.table(tuple(names)), "tested")[1]


def _rows(data: Microdata, rows: Ints) -> Microdata:
    return data.with_(data.narwhal[rows.tolist()].to_native())
