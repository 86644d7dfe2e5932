"""Moments of columns from sums over blocks: what claims ask of `Moments`, without the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, NoReturn

import numpy as np

from microveil.claims import Evidence
from microveil.core.arrays import Floats, Ints, Matrix, Vector
from microveil.core.errors import BadInput
from microveil.kernels.fixed.sums import ExactMoments, Grid
from microveil.kernels.moments.observed import Moments
from microveil.kernels.summaries.extremes import Extremes


@dataclass(frozen=True)
class Sums:
    """Sums over the complete records of some columns, and over the observed cells of each."""

    complete: ExactMoments
    each: tuple[ExactMoments, ...]

    @classmethod
    def of(cls, columns: Sequence[Vector], ends: Extremes) -> Sums:
        """The sums of some records; `ends` are those of all. Columns without any value make no record incomplete."""
        present = np.isfinite(ends.low)
        X = np.column_stack(list(columns))
        grid = Grid.between(np.where(present, ends.low, 0.0), np.where(present, ends.high, 0.0))
        gaps = np.isnan(X)
        if present.all() and not gaps.any():
            complete = ExactMoments.of(X, grid)
            return cls(complete, tuple(complete.of_column(j) for j in range(X.shape[1])))
        whole = X[~gaps[:, present].any(axis=1)][:, present]
        each = tuple(
            ExactMoments.of(X[~gaps[:, j], j : j + 1], Grid(grid.exponents[j : j + 1])) for j in range(X.shape[1])
        )
        return cls(ExactMoments.of(whole, Grid(grid.exponents[present])), each)

    def merge(self, other: Sums) -> Sums:
        """The sums over the records of both."""
        each = tuple(one.merge(two) for one, two in zip(self.each, other.each, strict=True))
        return Sums(self.complete.merge(other.complete), each)


class SummedMoments(Moments):
    """Means, variances and covariances of columns that are not here."""

    def __init__(self, sums: Sums, ends: Extremes) -> None:
        super().__init__(())
        self._sums, self._ends = sums, ends

    def of_present(self) -> SummedMoments:
        """The moments of the columns that have a value."""
        present = self.counts > 0
        each = tuple(one for one, here in zip(self._sums.each, present.tolist(), strict=True) if here)
        ends = replace(
            self._ends,
            low=self._ends.low[present],
            high=self._ends.high[present],
            missing=self._ends.missing[present],
        )
        return SummedMoments(Sums(self._sums.complete, each), ends)

    @cached_property
    def means(self) -> Vector:
        """Means, each rounded once."""
        return np.array([one.mean().item() if one.records else np.nan for one in self._sums.each])

    @cached_property
    def variances(self) -> Vector:
        """Variances, each rounded once."""
        return np.array([one.covariance().item() if one.records else np.nan for one in self._sums.each])

    @cached_property
    def covariances(self) -> Matrix:
        """Covariances of complete records, each rounded once."""
        p = int(np.count_nonzero(self.counts))
        return self._sums.complete.covariance() if self._sums.complete.records else np.full((p, p), np.nan)

    @cached_property
    def counts(self) -> Ints:
        """The number of observed cells of each column."""
        return np.array([one.records for one in self._sums.each], dtype=np.int64)

    @cached_property
    def lowest(self) -> Floats:
        """The smallest value of each column."""
        return self._ends.low

    @cached_property
    def highest(self) -> Floats:
        """The largest value of each column."""
        return self._ends.high

    @cached_property
    def complete_rows(self) -> int:
        """The number of records without a gap."""
        return self._sums.complete.records

    @property
    def observed(self) -> NoReturn:
        """The cells are not here."""
        raise BadInput("the cells of a file in blocks are not in memory; a claim that looks at them is seen by rows")


class SummedEvidence(Evidence):
    """Evidence of columns that are not here: their moments on both sides."""

    @classmethod
    def of(
        cls,
        columns: tuple[str, ...],
        half_unit: Floats,
        repeats: Floats | None,
        before: SummedMoments,
        after: SummedMoments,
        beside: tuple[Floats, Matrix] | None = None,
    ) -> SummedEvidence:
        """The evidence of some columns, from the moments before and after, and of changes beside the columns kept."""
        made = cls(columns, (), (), half_unit, np.zeros(0, dtype=np.int64), repeats=repeats)
        made.__dict__["moments_before"], made.__dict__["moments_after"] = before, after
        made.__dict__["change_beside_given"] = beside
        return made

    def only(self, columns: Sequence[str]) -> Evidence:
        """The same evidence for the columns that have values; of others nothing was summed."""
        before, after = self.moments_before, self.moments_after
        assert isinstance(before, SummedMoments)
        assert isinstance(after, SummedMoments)
        if tuple(columns) == self.columns:
            return self
        present = after.counts > 0
        if tuple(columns) != tuple(np.array(self.columns, dtype=object)[present].tolist()):
            raise BadInput("sums were taken of other columns than the claim is about")
        repeats = None if self.repeats is None else self.repeats[present]
        beside = self.change_beside_given
        return self.of(
            tuple(columns),
            self.half_unit[present],
            repeats,
            before.of_present(),
            after.of_present(),
            None if beside is None else (beside[0], beside[1][:, present]),
        )


class BesideGiven(NamedTuple):
    """Kept columns side by side with the change of the others, of released records with an original and no gap."""

    rows: Matrix
    kept: int

    @classmethod
    def of(cls, evidence: Evidence) -> BesideGiven:
        """The rows of some records; evidence without kept columns has none."""
        if evidence.given is None:
            return cls(np.zeros((0, 0)), 0)
        kept, change = evidence.given_and_change
        return cls(np.hstack([kept, change]), kept.shape[1])


def change_beside(sums: ExactMoments, kept: int) -> tuple[Floats, Matrix] | None:
    """As `Evidence.change_beside_given`, from sums over kept columns, so many, and changes."""
    if not kept or not sums.records:
        return None
    covariance = sums.covariance()
    return np.sqrt(np.diag(covariance)[:kept]), covariance[:kept, kept:]
