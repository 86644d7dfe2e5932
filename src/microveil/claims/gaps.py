"""k-anonymity of rows that may have gaps: a missing cell agrees with any value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.claims.claim import BLANK, Claim, Deviation, Example, SeenBy
from microveil.claims.evidence import Evidence
from microveil.claims.examples import GAP, evidence_of, with_cell
from microveil.claims.groups import EqualRowsAtLeast, RowsAlike
from microveil.core.arrays import Bools, Codes, Ints, Matrix


@dataclass(frozen=True)
class EqualRowsAsideGaps(EqualRowsAtLeast):
    """Every released row agrees with at least k rows, itself included, on all cells that are not gaps of the original.

    Without gaps this is plain k-anonymity. With gaps that were in the original it is what a method can
    promise that neither fills them nor blanks more cells: a gap that is new is a value of its own.
    """

    seen_by: ClassVar[SeenBy] = "file"  # each row beside its original

    def __str__(self) -> str:
        return f"{super().__str__()}, gaps of the original aside"

    def without_gaps(self) -> Claim:
        """Plain k-anonymity."""
        return EqualRowsAtLeast(self.columns, self.k)

    def deviation(self, evidence: Evidence) -> Deviation:
        strict = super().deviation(evidence)
        if strict.found == 0 or not np.isnan(evidence.before).any():
            return strict
        codes = _codes(evidence.after, np.isnan(_own_rows(evidence)))
        if evidence.groups is not None and _alike_in_groups(codes, evidence.groups, self.k):
            return Deviation(0.0, 0.0)
        return Deviation(max(self.k - _smallest_agreement(codes), 0), 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        claim, gappy = cls(k=2), [[1, 1, 2, 2], [5, GAP, 6, 6]]
        told = with_cell(gappy, 0, 1, 3)
        torn = with_cell(gappy, 1, 3, 7)
        whole = [[1, 1, 2, 2], [5, 5, 6, 6]]
        chain = [[1, 1, 1, 1], [5, GAP, 6, GAP]]
        return [
            Example(claim, evidence_of(gappy, gappy), True, "a gap of the original agrees with any value"),
            Example(claim, evidence_of(gappy, told), False, "told apart by another column"),
            Example(claim, evidence_of(gappy, torn), False, "told apart by the last column"),
            Example(claim, evidence_of(gappy, gappy, groups=[0, 0, 1, 1]), True, "with its groups"),
            Example(claim, evidence_of(gappy, torn, groups=[0, 0, 1, 1]), False, "groups whose rows differ"),
            Example(claim, evidence_of(gappy, told, groups=[0, 0, 0, 0]), False, "one group for all rows"),
            Example(cls(k=3), evidence_of(gappy, gappy, groups=[0, 0, 1, 1]), False, "groups that are too small"),
            Example(cls(k=3), evidence_of(chain, chain, groups=[0, 0, 0, 0]), True, "agreeing across groups"),
            Example(claim, evidence_of(whole, whole), True, "without gaps"),
            Example(claim, evidence_of(whole, gappy), False, "a cell was blanked"),
            Example(
                claim, evidence_of([[1, 1, GAP], [5, 5, 5]], [[1, GAP, GAP], [5, 5, 5]]), True, "one beside it agrees"
            ),
            Example(
                claim, evidence_of([[1, 1, GAP], [5, 5, 6]], [[1, GAP, GAP], [5, 5, 6]]), False, "a new gap is a value"
            ),
        ]


def _own_rows(evidence: Evidence) -> Matrix:
    """The original row of each released row; a row without one has no gap that was there before."""
    own = np.zeros(evidence.after.shape)
    known = evidence.origin >= 0
    own[known] = evidence.before[evidence.origin[known]]
    return own


def _codes(rows: Matrix, was_gap: Bools) -> Codes:
    """Values of each column as numbers from 0, gaps that were there before as -1 and others as a value of their own."""
    codes = np.full(rows.shape, -1, dtype=np.int64)
    for j, column in enumerate(rows.T):
        counts = ~(np.isnan(column) & was_gap[:, j])
        values = np.where(np.isnan(column), np.inf, column)[counts]
        codes[counts, j] = np.unique(values, return_inverse=True)[1]
    return codes


def _alike_in_groups(codes: Codes, groups: Ints, k: int) -> bool:
    """Whether every group has k records and one value in every column: a quick proof, of whatever groups are given."""
    if (groups < 0).any() or np.unique(groups, return_counts=True)[1].min() < k:
        return False
    number = int(groups.max()) + 1
    for column in codes.T:
        counts = column >= 0
        low, high = np.full(number, np.iinfo(np.int64).max), np.full(number, -1)
        np.minimum.at(low, groups[counts], column[counts])
        np.maximum.at(high, groups[counts], column[counts])
        if (high > low).any():
            return False
    return True


@dataclass(frozen=True)
class AgreeingRowsAtLeast(RowsAlike):
    """Every released row agrees with at least k rows, itself included, a missing cell agreeing with any value."""

    withstands = RowsAlike.withstands | {BLANK}

    def __str__(self) -> str:
        on = f" on {self.named}" if self.columns else ""
        return f"every record agrees with at least {self.k}{on}, missing cells agreeing with any value"

    def deviation(self, evidence: Evidence) -> Deviation:
        if not len(evidence.origin):
            return Deviation(0.0, 0.0)
        return Deviation(max(self.k - smallest_agreement(evidence.after, evidence.times), 0), 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        claim, rows = cls(k=2), [[1, 1, 2, 2], [5, GAP, 6, 6]]
        return [
            Example(claim, evidence_of(rows, rows), True, "a gap agrees with any value"),
            Example(claim, evidence_of(rows, with_cell(rows, 0, 0, 3)), False, "one row alone, by the first column"),
            Example(claim, evidence_of(rows, with_cell(rows, 1, 3, 7)), False, "two rows alone, by the last column"),
            Example(claim, evidence_of([[0, 1], [1, 0]], [[0, 1], [1, 0]]), False, "the same values in other columns"),
            Example(cls(k=3), evidence_of([[1, GAP, 2]], [[1, GAP, 2]]), False, "agreement is not passed on"),
            Example(cls(k=3), evidence_of([[1, GAP, 1]], [[1, GAP, 1]]), True, "three that agree"),
        ]


def smallest_agreement(rows: Matrix, times: Ints | None = None) -> int:
    """The smallest number of records that a row agrees with, gaps agreeing with everything."""
    return _smallest_agreement(_codes(rows, np.isnan(rows)), times)


def _smallest_agreement(codes: Codes, times: Ints | None = None) -> int:
    from microveil.kernels.tables.sizes import class_sizes

    return int(class_sizes(codes, "wildcard", records=times)[0].min())
