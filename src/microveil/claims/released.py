"""Claims that speak of released values alone: their bounds, units, sums and how often they occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from microveil.claims.claim import AFFINE, BLANK, COARSEN, DROP, PERMUTE, Claim, Deviation, Example, InUnions
from microveil.claims.evidence import EXACT, Evidence
from microveil.claims.examples import GAP, evidence_of, with_cell
from microveil.claims.in_order import ColumnInOrder, run_lengths

# relative: a multiple of a decimal base is off by less, and a half of a unit in a large amount by more
_NEAR_MULTIPLE = 8 * float(np.finfo(np.float64).eps)


class _OfReleased(Claim):
    """What holds for each released value holds for any number of them."""

    about = "release"

    @property
    def in_unions(self) -> InUnions:
        """Every value lies in one of the parts, where it is as promised or occurs often enough."""
        return "yes"


@dataclass(frozen=True)
class MultiplesOf(_OfReleased):
    """Every released value is a multiple of `base`."""

    seen_by = "rows"
    of_amounts = True
    text = "every value{of} is a multiple of {base:,.12g}"
    base: float = 1.0
    withstands = frozenset({BLANK, DROP, PERMUTE})

    def deviation(self, evidence: Evidence) -> Deviation:
        off = []
        for column in evidence.moments_after.observed:
            steps = column / self.base
            off.append(np.max(np.abs(steps - np.rint(steps)) / np.maximum(np.abs(steps), 1.0), initial=0.0))
        return Deviation(off, _NEAR_MULTIPLE)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        five, tenth = [[5, 0, -10], [15, 20, 25]], 0.1 * np.arange(30)
        return [
            Example(cls(base=5), _alone(five), True, "multiples"),
            Example(cls(base=5), _alone(with_cell(five, 1, 2, 26)), False, "one cell of the last column"),
            Example(cls(base=5), _alone(with_cell(five, 0, 0, 5 + 1e-9)), False, "nearly a multiple"),
            Example(cls(base=0.1), _alone([tenth]), True, "multiples as near as doubles hold them"),
            Example(cls(base=0.1), _alone([tenth + 0.05]), False, "halves of the base"),
            Example(cls(), _alone([[1e9, 1e12]]), True, "large amounts"),
            Example(cls(), _alone([[1e9 + 0.5, 1e12]]), False, "half a unit in a large amount"),
            Example(cls(base=5), _alone([[5, GAP]]), True, "a gap"),
            Example(cls(base=5), _alone([[6, GAP]]), False, "beside a gap"),
            Example(cls(base=5), _alone([[GAP, GAP]]), True, "no value"),
        ]


@dataclass(frozen=True)
class BetweenBounds(_OfReleased):
    """Every released value lies between two bounds."""

    seen_by = "moments"
    of_amounts = True
    text = "every value{of} lies between {low:,.12g} and {high:,.12g}"
    low: float = -np.inf
    high: float = np.inf
    withstands = frozenset({BLANK, DROP, PERMUTE})

    def deviation(self, evidence: Evidence) -> Deviation:
        after = evidence.moments_after
        outside = np.maximum(np.maximum(self.low - after.lowest, after.highest - self.high), 0.0)
        return Deviation(outside, 0.0, evidence.half_unit)

    def __str__(self) -> str:
        of = f" of {self.named}" if self.columns else ""
        if np.isinf(self.high) and np.isfinite(self.low):
            return f"no value{of} is below {self.low:,.12g}"
        if np.isinf(self.low) and np.isfinite(self.high):
            return f"no value{of} is above {self.high:,.12g}"
        return super().__str__()

    @classmethod
    def examples(cls) -> Sequence[Example]:
        inside = [[0, 1, 2], [0, 10, 10]]
        claim = cls(low=0, high=10)
        return [
            Example(claim, _alone(inside), True, "up to both bounds"),
            Example(claim, _alone(with_cell(inside, 1, 2, 10 + 1e-9)), False, "above in the last column"),
            Example(claim, _alone(with_cell(inside, 1, 0, -1e-9)), False, "below in the last column"),
            Example(cls(low=0), _alone([[0, 1e9]]), True, "no upper bound"),
            Example(cls(low=0), _alone([[-1e-9, 1e9]]), False, "below, without an upper bound"),
            Example(cls(high=0), _alone([[0, -1e9]]), True, "no lower bound"),
            Example(cls(high=0), _alone([[1e-9, -1e9]]), False, "above, without a lower bound"),
            Example(claim, _alone([[GAP, 5]]), True, "a gap"),
            Example(claim, _alone([[GAP, 11]]), False, "beside a gap"),
            Example(claim, _alone([[GAP, GAP]]), True, "no value"),
            Example(claim, _alone([[10.5, 5]], half_unit=0.5), True, "rounding adds half a unit"),
            Example(claim, _alone([[10.6, 5]], half_unit=0.5), False, "more than rounding adds"),
        ]


@dataclass(frozen=True)
class SumHolds(_OfReleased):
    """In every complete record the first column is the sum of the others."""

    seen_by = "rows"
    of_amounts = True
    withstands = frozenset({BLANK, DROP})

    def __str__(self) -> str:
        if not self.columns:
            return "the first column is the sum of the others"
        rest = type(self)(columns=self.columns[1:])
        return f"{self.columns[0]} is the sum of {rest.named}"

    def deviation(self, evidence: Evidence) -> Deviation:
        gap = np.abs(evidence.after[:, 0] - evidence.after[:, 1:].sum(axis=1)) / evidence.scale[0]
        # every record may be off by half a unit of each of its cells
        rounding = float(evidence.half_unit.sum()) / evidence.scale[0]
        return Deviation(gap[~np.isnan(gap)], EXACT, rounding)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        sums = [[3, 5, 7], [1, 5, 3], [2, 0, 4]]
        return [
            Example(cls(), _alone(sums), True, "sums"),
            Example(cls(), _alone(with_cell(sums, 0, 1, 5 + 1e-6)), False, "one total too large"),
            Example(cls(), _alone(with_cell(sums, 1, 2, 3 + 1e-6)), False, "one total too small"),
            Example(cls(), _alone([[5, 6], [5, 6], [0, 1]]), False, "one cell of the last column"),
            Example(cls(), _alone([[5, 6], [5, 6], [0, 0]]), True, "two columns and zeros"),
            Example(cls(), _alone(with_cell(sums, 0, 1, GAP)), True, "a record with a gap has no sum"),
            Example(cls(), _alone(with_cell(with_cell(sums, 0, 1, GAP), 0, 2, 8)), False, "beside a gap"),
            Example(cls(), _alone([[3, 5], [2, 4]], half_unit=0.5), True, "rounding adds half a unit of each cell"),
            Example(cls(), _alone([[3, 5.1], [2, 4]], half_unit=0.5), False, "more than rounding adds"),
        ]


@dataclass(frozen=True)
class TailsAtLeast(_OfReleased):
    """The coded tails share one value that occurs at least k times."""

    by_column = True
    k: int = 1
    top: bool = True
    bottom: bool = False
    of_amounts = True
    withstands = frozenset({AFFINE, PERMUTE})

    def __str__(self) -> str:
        ends = ["largest"] * self.top + ["smallest"] * self.bottom
        of = f" of each of {self.named}" if len(self.columns) > 1 else f" of {self.named}" if self.columns else ""
        if len(ends) > 1:
            return f"the largest and the smallest value{of} each occur at least {self.k} times"
        return f"the {' and '.join(ends)} value{of} occurs at least {self.k} times"

    def deviation(self, evidence: Evidence) -> Deviation:
        after, short = evidence.moments_after, []
        for column, low, high in zip(after.observed, after.lowest, after.highest, strict=True):
            ends = [high] * self.top + [low] * self.bottom
            short += [self.k - int(np.sum(column == end)) for end in ends if len(column)]
        return Deviation(np.maximum(short, 0), 0.0)

    def deviation_in_order(self, column: ColumnInOrder) -> Deviation:
        first, last = self.k, self.k
        for number, counts in enumerate(lengths for lengths in run_lengths(column.after) if len(lengths)):
            first, last = first if number else int(counts[0]), int(counts[-1])
        ends = [last] * self.top + [first] * self.bottom
        return Deviation([max(self.k - count, 0) for count in ends], 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        coded = [[1, 1, 5, 5], [3, 3, 4, 4]]
        both = cls(k=2, bottom=True)
        return [
            Example(both, _alone(coded), True, "both ends twice"),
            Example(both, _alone(with_cell(coded, 1, 0, 3.5)), False, "the smallest of the last column once"),
            Example(both, _alone(with_cell(coded, 1, 3, 3.5)), False, "the largest of the last column once"),
            Example(cls(k=2), _alone([[1, 2, 5, 5]]), True, "the largest twice, the smallest once"),
            Example(cls(k=2), _alone([[1, 1, 4, 5]]), False, "the largest once"),
            Example(cls(k=2, top=False, bottom=True), _alone([[1, 1, 4, 5]]), True, "the smallest twice"),
            Example(cls(k=2, top=False, bottom=True), _alone([[1, 2, 5, 5]]), False, "the smallest once"),
            Example(both, _alone([[1, 1, GAP]]), True, "gaps are no tail"),
            Example(both, _alone([[1, GAP, GAP]]), False, "gaps do not count"),
            Example(both, _alone([[GAP, GAP]]), True, "no value"),
        ]


@dataclass(frozen=True)
class ValuesAtLeast(_OfReleased):
    """Every released value of a column occurs at least k times there; gaps aside."""

    by_column = True
    text = "every value{of} occurs at least {k} times in its column"
    k: int = 1
    withstands = frozenset({AFFINE, COARSEN, PERMUTE})

    def deviation(self, evidence: Evidence) -> Deviation:
        observed = [column for column in evidence.moments_after.observed if len(column)]
        counts = [int(np.unique(column, return_counts=True)[1].min()) for column in observed]
        return Deviation([max(self.k - count, 0) for count in counts], 0.0)

    def deviation_in_order(self, column: ColumnInOrder) -> Deviation:
        fewest = min((int(counts.min()) for counts in run_lengths(column.after) if len(counts)), default=self.k)
        return Deviation(max(self.k - fewest, 0), 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        claim, twice = cls(k=2), [[1, 1, 2, 2], [3, 4, 4, 3]]
        return [
            Example(claim, _alone(twice), True, "every value twice"),
            Example(claim, _alone(with_cell(twice, 1, 3, 4)), False, "one value of the last column once"),
            Example(claim, _alone(with_cell(twice, 0, 0, 2)), False, "one value of the first column once"),
            Example(claim, _alone([[1, 1, GAP]]), True, "gaps aside"),
            Example(claim, _alone([[1, GAP, GAP]]), False, "a value once beside gaps"),
            Example(claim, _alone([[GAP, GAP]]), True, "no value"),
        ]


def _alone(released: Sequence[Any], half_unit: float = 0.0) -> Evidence:
    """Evidence in which the original is the release: only released values matter."""
    return evidence_of(released, released, half_unit=half_unit)
