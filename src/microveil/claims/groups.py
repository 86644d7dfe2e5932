"""Claims about how many records are alike or were treated together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.claims.claim import (
    AFFINE,
    BLANK,
    COARSEN,
    LINEAR,
    PERMUTE,
    Claim,
    Deviation,
    Example,
    InUnions,
    SeenBy,
)
from microveil.claims.evidence import Evidence
from microveil.claims.examples import GAP, evidence_of, with_cell
from microveil.core.arrays import Ints, Matrix
from microveil.kernels.tables.classes import count_up
from microveil.kernels.tables.equal_rows import first_equal_rows


def _smallest_class(rows: Matrix, times: Ints | None = None) -> int:
    """How often the rarest row occurs; NaN would never equal itself: a missing cell is a value of its own here."""
    first = first_equal_rows(np.where(np.isnan(rows), np.inf, rows))
    return int(count_up(first, times)[first].min())


@dataclass(frozen=True)
class RowsAlike(Claim):
    """Base of the claims that every released row has at least k - 1 like it on these columns together."""

    about = "release"
    seen_by: ClassVar[SeenBy] = "classes"
    k: int = 1
    # equal cells stay equal, so that rows that are alike stay alike
    withstands = frozenset({AFFINE, COARSEN})

    @property
    def in_unions(self) -> InUnions:
        """Those alike in a part are alike in the union."""
        return "yes"

    def survives(self, change: str, columns: frozenset[str]) -> bool:
        """Rows equal in all columns that are mixed have equal mixtures."""
        return super().survives(change, columns) or (change == LINEAR and columns <= set(self.columns))


@dataclass(frozen=True)
class EqualRowsAtLeast(RowsAlike):
    """Every released row occurs at least k times on these columns together (k-anonymity)."""

    text = "every combination of values{within} occurs at least {k} times"

    def deviation(self, evidence: Evidence) -> Deviation:
        if not len(evidence.origin):
            return Deviation(0.0, 0.0)
        return Deviation(max(self.k - _smallest_class(evidence.after, evidence.times), 0), 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        claim, pairs = cls(k=2), [[1, 1, 2, 2, 2], [5, 5, 5, 6, 6]]
        twice = [[1, 1, 2, 2], [5, 5, 6, 6]]
        return [
            Example(claim, evidence_of(twice, twice), True, "every row twice"),
            Example(claim, evidence_of(pairs, pairs), False, "one row once, by the last column only"),
            Example(claim, evidence_of(twice, with_cell(twice, 0, 3, 3)), False, "one row once, by the first column"),
            Example(claim, evidence_of([[0, 1], [1, 0]], [[0, 1], [1, 0]]), False, "the same values in other columns"),
            Example(claim, evidence_of([[1, 1], [GAP, GAP]], [[1, 1], [GAP, GAP]]), True, "equal gaps are equal"),
            Example(claim, evidence_of([[1, 1], [GAP, 5]], [[1, 1], [GAP, 5]]), False, "a gap is not any value"),
            Example(claim, evidence_of([[1]], [[1, 1]], origin=[0, 0]), True, "one record released twice"),
            Example(cls(k=3), evidence_of([[1, 1, 1]], [[1, 1, 1]]), True, "three equal rows"),
            Example(cls(k=3), evidence_of([[1, 1]], [[1, 1]]), False, "one row too few"),
        ]


@dataclass(frozen=True)
class GroupsAtLeast(Claim):
    """The groups inside which values were exchanged or redrawn have at least k records."""

    about = "release"
    seen_by: ClassVar[SeenBy] = "classes"
    of_groups = True
    text = "groups have at least {k} records"
    k: int = 1
    withstands = frozenset({AFFINE, LINEAR, BLANK, COARSEN, PERMUTE})

    @property
    def in_unions(self) -> InUnions:
        """Groups lie inside the parts."""
        return "yes"

    def __str__(self) -> str:
        used = f" in which {self.named} were changed" if self.columns else ""
        return f"groups{used} have at least {self.k} records"

    def deviation(self, evidence: Evidence) -> Deviation:
        if not len(evidence.origin):
            return Deviation(0.0, 0.0)
        if evidence.groups is None or (evidence.groups < 0).all():
            return Deviation(np.inf, 0.0)
        inside = evidence.groups >= 0
        _, of = np.unique(evidence.groups[inside], return_inverse=True)
        sizes = count_up(of.reshape(-1), None if evidence.times is None else evidence.times[inside])
        return Deviation(np.maximum(self.k - sizes, 0), 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        claim, rows = cls(k=2), [[1, 2, 3, 4, 5]]
        return [
            Example(claim, evidence_of(rows, rows, groups=[0, 0, 1, 1, 1]), True, "groups of two and three"),
            Example(claim, evidence_of(rows, rows, groups=[0, 0, 0, 0, 1]), False, "the last group has one"),
            Example(claim, evidence_of(rows, rows, groups=[1, 0, 1, 1, 1]), False, "the first group has one"),
            Example(claim, evidence_of(rows, rows, groups=[3, 3, -1, 7, 7]), True, "a record in no group"),
            Example(claim, evidence_of(rows, rows, groups=[3, -1, -1, 7, 7]), False, "those in no group do not count"),
            Example(claim, evidence_of(rows, rows, groups=[-1] * 5), False, "nobody is in a group"),
        ]
