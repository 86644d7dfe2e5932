"""Whether a claim holds in a file in blocks: from sums, by records, by which values became which, or by classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from microveil.claims import Claim, Evidence, Verdict, repeated_among
from microveil.core.arrays import Floats, Ints, Matrix, Vector
from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.engines.asking import Ask
from microveil.engines.judging_classes import ClassesSeen
from microveil.engines.summed_moments import BesideGiven, SummedEvidence, SummedMoments, Sums, change_beside
from microveil.kernels.fixed.sums import ExactMoments, Grid
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

    def beside(self, side: str) -> BesideGiven:
        """The columns kept beside the change of the others."""
        return BesideGiven.of(replace(self.evidence, released=self.columns_of(side)))

    def columns_of(self, side: str) -> Sequence[Vector]:
        """The original's, the release's, or those before rounding."""
        return {"before": self.evidence.original, "after": self.evidence.released, "exact": self.exact}[side]


def can_be_judged(claim: Claim) -> bool:
    """Whether blocks tell it."""
    return claim.seen_by != "file"


def judge(
    claims: Sequence[Claim], columns: tuple[str, ...], ask: Ask, half_units: Floats, exact: bool = False
) -> list[Verdict | None]:
    """The verdict on each claim about these columns, in three passes; questions are asked of `BlockEvidence`.

    `exact`: on the values before they were rounded. None: there are too many different rows to tell.
    """
    side = "exact" if exact else "after"
    half = np.zeros(len(columns)) if exact else half_units
    summed = any(claim.seen_by in ("moments", "rows") for claim in claims)
    whole = _summed(columns, ask, side, half) if summed else None
    found: dict[int, Verdict | None] = {}
    looked_at: dict[tuple[int, str], Callable[[BlockEvidence], Any]] = {}
    for number, claim in enumerate(claims):
        if claim.seen_by == "moments":
            assert whole is not None
            found[number] = claim.check(whole)
        elif claim.seen_by == "rows":
            assert whole is not None
            looked_at[number, ""] = partial(_OfRows.of, claim, side, whole)
        elif claim.seen_by == "pairs":
            looked_at |= {
                (number, name): partial(_Pairs.of, side, columns.index(name)) for name in claim.columns or columns
            }
        elif claim.seen_by == "classes":
            looked_at[number, ""] = partial(ClassesSeen.of, claim, side)
        else:
            raise BadInput(f"a file in blocks does not tell whether this holds: {claim}")
    if looked_at:
        told = ask(lambda one: Together({key: of(one) for key, of in looked_at.items()})).parts
        for number, claim in enumerate(claims):
            own = {name: one for (of, name), one in told.items() if of == number}
            if claim.seen_by == "rows":
                found[number] = own[""].verdict
            elif claim.seen_by == "pairs":
                found[number] = _judge_pairs(claim, own)
            elif claim.seen_by == "classes":
                found[number] = own[""].verdict(claim, columns, half)
    return [found[number] for number in range(len(claims))]


def _summed(columns: tuple[str, ...], ask: Ask, side: str, half: Floats) -> Evidence:
    """What two passes tell of all records: extremes, and sums of the values and of their changes."""
    first: Mapping[str, Any] = ask(
        lambda one: Together(
            {
                **{name: Extremes.of(np.column_stack(list(one.columns_of(name)))) for name in ("before", side)},
                "some": _Sampled.of(one),
                "beside": Extremes.of(one.beside(side).rows),
            }
        )
    ).parts
    grid = Grid.between(*_ends(first["beside"]))
    sums: Mapping[str, Any] = ask(
        lambda one: Together(
            {
                **{name: Sums.of(one.columns_of(name), first[name]) for name in ("before", side)},
                "beside": ExactMoments.of(one.beside(side).rows, grid),
            }
        )
    ).parts
    before, after = (SummedMoments(sums[name], first[name]) for name in ("before", side))
    repeats = _repeats(first["some"].rows, half, after) if half.any() else None
    kept = len(grid.exponents) - len(columns) if len(grid.exponents) else 0
    return SummedEvidence.of(columns, half, repeats, before, after, change_beside(sums["beside"], kept))


def _ends(found: Extremes) -> tuple[Floats, Floats]:
    """Ends of columns; of no record at all as if they were zeros."""
    present = np.isfinite(found.low)
    return np.where(present, found.low, 0.0), np.where(present, found.high, 0.0)


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


def _repeats(rows: Matrix, half: Floats, after: SummedMoments) -> Floats:
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
    def of(cls, claim: Claim, side: str, whole: Evidence, one: BlockEvidence) -> _OfRows:
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
    def of(cls, side: str, place: int, one: BlockEvidence) -> _Pairs:
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


def _judge_pairs(claim: Claim, pairs: Mapping[str, _Pairs]) -> Verdict:
    verdicts = []
    for name, one in pairs.items():
        origin = np.full(len(one.rows), -1) if one.made else np.arange(len(one.rows))
        evidence = Evidence((name,), [one.rows[:, 0]], [one.rows[:, 1]], np.zeros(1), origin)
        verdicts.append(replace(replace(claim, columns=(name,)).check(evidence), claim=claim))
    return max(verdicts, key=lambda verdict: verdict.deviation)
