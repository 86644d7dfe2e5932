"""Whether a claim holds in a file in blocks: from sums, record by record, or by which values became which."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microveil.claims import Claim, Evidence, Verdict, repeated_among
from microveil.core.arrays import Floats, Ints, Matrix, Vector
from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.engines.asking import Ask
from microveil.engines.summed_moments import SummedEvidence, SummedMoments, Sums
from microveil.kernels.summaries.extremes import Extremes
from microveil.kernels.summaries.together import Together

_SAMPLED = 4_000  # values that tell how much they repeat themselves before they are rounded
_MOST_PAIRS = 1 << 22


@dataclass(frozen=True)
class BlockEvidence:
    """The evidence of some records, with the columns before they were rounded and where the records stand."""

    evidence: Evidence
    exact: Sequence[Vector]
    places: Ints
    records: int

    def columns_of(self, side: str) -> Sequence[Vector]:
        """The original's, the release's, or those before rounding."""
        return {"before": self.evidence.original, "after": self.evidence.released, "exact": self.exact}[side]


def can_be_judged(claim: Claim, given: Sequence[str]) -> bool:
    """Whether blocks tell it; what is said of columns kept beside the others is not looked at in blocks."""
    return claim.seen_by != "file" and not (claim.uses_given and given)


def judge(claims: Sequence[Claim], columns: tuple[str, ...], ask: Ask, exact: bool = False) -> list[Verdict]:
    """The verdict on each claim about these columns; questions are asked of `BlockEvidence`.

    `exact`: on the values before they were rounded.
    """
    side = "exact" if exact else "after"
    ends = _ask_sides(ask, ("before", side), lambda one, name: Extremes.of(np.column_stack(list(one.columns_of(name)))))
    sums = _ask_sides(ask, ("before", side), lambda one, name: Sums.of(one.columns_of(name), ends[name]))
    before, after = (SummedMoments(sums[name], ends[name]) for name in ("before", side))
    half = np.zeros(len(columns)) if exact else ask(_Half.of).half_units
    repeats = None if not half.any() else _repeats(ask, half, after)
    whole = SummedEvidence.of(columns, half, repeats, before, after)
    found = []
    for claim in claims:
        if claim.seen_by == "moments":
            found.append(claim.check(whole))
        elif claim.seen_by == "rows":
            found.append(ask(lambda one, claim=claim: _OfRows.of(claim, one, side, whole)).verdict)
        elif claim.seen_by == "pairs":
            found.append(_judge_pairs(claim, columns, ask, side))
        else:
            raise BadInput(f"a file in blocks does not tell whether this holds: {claim}")
    return found


def _ask_sides(ask: Ask, sides: Sequence[str], of: Callable[[BlockEvidence, str], Any]) -> Mapping[str, Any]:
    found: Together[str, Any] = ask(lambda one: Together({side: of(one, side) for side in sides}))
    return found.parts


@dataclass(frozen=True)
class _Half:
    half_units: Floats

    @classmethod
    def of(cls, one: BlockEvidence) -> _Half:
        return cls(one.evidence.half_unit)

    def merge(self, other: _Half) -> _Half:
        return _Half(np.maximum(self.half_units, other.half_units))


@dataclass(frozen=True)
class _Sampled:
    """Some records, no two at a fixed distance: equal values may stand together, or in a pattern."""

    rows: Matrix

    @classmethod
    def of(cls, one: BlockEvidence) -> _Sampled:
        draws = Streams(Key.of("repeats")).of_rows(one.places).uniforms(0, len(one.places))[:, 0]
        return cls(np.column_stack(list(one.exact))[draws * one.records <= _SAMPLED])

    def merge(self, other: _Sampled) -> _Sampled:
        return _Sampled(np.concatenate([self.rows, other.rows]))


def _repeats(ask: Ask, half: Floats, after: SummedMoments) -> Floats:
    rows: Matrix = ask(_Sampled.of).rows
    found = []
    for j, unit in enumerate(2 * half):
        some = rows[~np.isnan(rows[:, j]), j]
        observed = int(after.counts[j])
        # of too few nothing is told: then as if all values were alike, which allows rounding most
        found.append(
            0.0 if unit == 0 else 1.0 if len(some) < 2 else repeated_among(some, max(observed, len(some)), unit)
        )
    return np.array(found)


@dataclass(frozen=True)
class _OfRows:
    """The worst verdict of some records."""

    verdict: Verdict

    @classmethod
    def of(cls, claim: Claim, one: BlockEvidence, side: str, whole: Evidence) -> _OfRows:
        evidence = replace(
            one.evidence, released=one.columns_of(side), half_unit=whole.half_unit, repeats=whole.repeats
        )
        # scales are those of the whole file, values those of these records
        evidence.__dict__["moments_before"] = whole.moments_before
        return cls(claim.check(evidence))

    def merge(self, other: _OfRows) -> _OfRows:
        one, two = self.verdict, other.verdict
        worse = max((one, two), key=lambda verdict: (not verdict.holds, verdict.deviation - verdict.allowed))
        both = one.exactly and two.exactly
        return _OfRows(
            Verdict(
                worse.claim,
                one.holds and two.holds,
                worse.deviation,
                worse.allowed,
                both,
                max(one.largest, two.largest),
            )
        )


@dataclass(frozen=True)
class _Pairs:
    """Which values of a column became which."""

    rows: Floats
    name: str
    made: bool  # some have no original

    @classmethod
    def of(cls, one: BlockEvidence, side: str, place: int) -> _Pairs:
        own = one.evidence.origin >= 0
        before = one.evidence.original[place][one.evidence.origin[own]]
        pairs = np.column_stack([before, one.columns_of(side)[place][own]])
        return cls(_different(pairs), one.evidence.columns[place], not own.all())

    def merge(self, other: _Pairs) -> _Pairs:
        found = _different(np.concatenate([self.rows, other.rows]))
        if len(found) > _MOST_PAIRS:
            raise BadInput(f"{self.name!r} has too many different values to tell which became which")
        return _Pairs(found, self.name, self.made or other.made)


def _different(pairs: Floats) -> Floats:
    """Different rows, gaps equal to gaps."""
    whole = np.where(np.isnan(pairs), np.nan, pairs + 0.0)
    return np.ascontiguousarray(np.unique(np.ascontiguousarray(whole).view(np.uint64), axis=0)).view(np.float64)


def _judge_pairs(claim: Claim, columns: tuple[str, ...], ask: Ask, side: str) -> Verdict:
    worst: Verdict | None = None
    for name in claim.columns or columns:
        place = columns.index(name)
        pairs: _Pairs = ask(lambda one, place=place: _Pairs.of(one, side, place))
        origin = np.full(len(pairs.rows), -1) if pairs.made else np.arange(len(pairs.rows))
        evidence = Evidence((name,), [pairs.rows[:, 0]], [pairs.rows[:, 1]], np.zeros(1), origin)
        verdict = replace(replace(claim, columns=(name,)).check(evidence), claim=claim)
        worst = verdict if worst is None or verdict.deviation > worst.deviation else worst
    assert worst is not None
    return worst
