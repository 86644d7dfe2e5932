"""Claims about how released values of a column follow the original ones: in order, one for one, equal for equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.claims.claim import AFFINE, BLANK, COARSEN, DROP, Claim, Deviation, Example
from microveil.claims.coding import code_values, distinct
from microveil.claims.evidence import EXACT, Evidence
from microveil.claims.examples import GAP, evidence_of, with_cell
from microveil.claims.in_order import ColumnInOrder, largest_fall
from microveil.core.arrays import Bools, Codes, Vector
from microveil.core.ordering import stable_order


@dataclass(frozen=True)
class OrderKept(Claim):
    """A record with a larger original value never has a smaller released one."""

    by_column = True
    about = "cells"
    text = "larger values{of} stay larger or become equal"
    by_record = True
    withstands = frozenset({AFFINE, BLANK, DROP})

    def deviation(self, evidence: Evidence) -> Deviation:
        falls = [_largest_fall(evidence, j) for j in range(len(evidence.columns))]
        return Deviation(np.array(falls) / evidence.scale, EXACT)

    def deviation_in_order(self, column: ColumnInOrder) -> Deviation:
        return Deviation(largest_fall(column) / column.scale(), EXACT)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        before, kept = [[1, 2, 3, 4], [8, 7, 6, 5]], [[0, 0, 9, 9], [3, 2, 2, 1]]
        return [
            Example(cls(), evidence_of(before, kept), True, "equal or in order"),
            Example(cls(), evidence_of(before, with_cell(kept, 1, 3, 2.001)), False, "the last column"),
            Example(cls(), evidence_of(before, with_cell(kept, 0, 1, -0.001)), False, "the first column"),
            Example(cls(), evidence_of([[1, 2, 3]], [[5, 6, 4]]), False, "below one that is not its neighbour"),
            Example(cls(), evidence_of([[1, 2, 3]], [[4, 5, 6]]), True, "all larger"),
            Example(cls(), evidence_of([[1, 1, 2]], [[5, 3, 5]]), True, "equal values may part"),
            Example(cls(), evidence_of([[1, 1, 2]], [[5, 3, 4]]), False, "one of two equal values is overtaken"),
            Example(cls(), evidence_of([[1, GAP, 2, 3]], [[4, 0, GAP, 5]]), True, "gaps have no order"),
            Example(cls(), evidence_of([[1, GAP, 2, 3]], [[4, 0, GAP, 3]]), False, "beside gaps"),
            Example(cls(), evidence_of([[1, 2]], [[2, 1]], origin=[1, 0]), True, "rows in another order"),
            Example(cls(), evidence_of([[1, 2]], [[1, 2]], origin=[0, -1]), False, "a record without an original"),
        ]


def _largest_fall(evidence: Evidence, column: int) -> float:
    """How far the released value of a record lies below that of one with a smaller original value."""
    x, y = evidence.original[column][evidence.origin], evidence.released[column]
    observed = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[observed], y[observed]
    values, of = np.unique(x, return_inverse=True)
    low, high = np.full(len(values), np.inf), np.full(len(values), -np.inf)
    np.minimum.at(low, of, y)
    np.maximum.at(high, of, y)
    return float(np.max(np.maximum.accumulate(high)[:-1] - low[1:], initial=0.0))


def _torn(evidence: Evidence, column: int) -> int:
    """How many classes of equal values became more than one, each counted as often as it is more."""
    x = evidence.original[column] if evidence.in_place else evidence.original[column][evidence.origin]
    order = evidence.orders_before[column] if evidence.in_place else stable_order(x)
    if (_as_before(evidence.released[column][order]) | ~_as_before(x[order])).all():
        return 0
    there = ~np.isnan(evidence.released[column])
    before, after = (codes[there] for codes in _codes_of(evidence, column))
    return distinct(before, after) - distinct(before)


def _as_before(values: Vector) -> Bools:
    """Whether each value is that before it; a gap is a value."""
    gap = np.isnan(values)
    return np.asarray((values[1:] == values[:-1]) | (gap[1:] & gap[:-1]))


def _codes_of(evidence: Evidence, column: int) -> tuple[Codes, Codes]:
    return code_values(evidence.original[column][evidence.origin]), code_values(evidence.released[column])


@dataclass(frozen=True)
class EqualStayEqual(Claim):
    """Records equal in a column are equal there after masking: classes only merge.

    A cell that is missing afterwards equals nothing and differs from nothing, as recoded keys are suppressed later.
    """

    seen_by = "pairs"
    about = "cells"
    text = "equal values{of} stay equal"
    by_record = True
    withstands = frozenset({AFFINE, BLANK, COARSEN, DROP})

    @property
    def composes(self) -> bool:
        return True

    def deviation(self, evidence: Evidence) -> Deviation:
        return Deviation([_torn(evidence, j) for j in range(len(evidence.columns))], 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        before, kept = [[1, 1, 2, 3], [5, 6, 6, 6]], [[9, 9, 4, 4], [1, 2, 2, 2]]
        return [
            Example(cls(), evidence_of(before, kept), True, "other values, some merged"),
            Example(cls(), evidence_of(before, with_cell(kept, 1, 3, 3)), False, "one cell of the last column"),
            Example(cls(), evidence_of(before, with_cell(kept, 0, 0, 4)), False, "torn, and merged with another class"),
            Example(cls(), evidence_of([[1, GAP, GAP]], [[1, 2, 2]]), True, "gaps are equal"),
            Example(cls(), evidence_of([[1, GAP, GAP]], [[1, 2, 3]]), False, "two gaps were filled with two values"),
            Example(cls(), evidence_of(before, with_cell(kept, 1, 3, GAP)), True, "one of them is missing afterwards"),
            Example(cls(), evidence_of([[1, 1, 2]], [[5, 5]], origin=[1, 0]), True, "some records"),
            Example(cls(), evidence_of([[1, 1, 2]], [[5, 4]], origin=[1, 0]), False, "some records, torn"),
            Example(cls(), evidence_of([[1, 1]], [[1, 1]], origin=[0, -1]), False, "a record without an original"),
        ]


@dataclass(frozen=True)
class OneToOne(Claim):
    """Equal values have equal replacements and different ones different replacements."""

    seen_by = "pairs"
    about = "cells"
    text = "each value{of} has a replacement of its own"
    by_record = True
    withstands = frozenset({AFFINE, DROP})

    @property
    def composes(self) -> bool:
        return True

    def deviation(self, evidence: Evidence) -> Deviation:
        wrong = []
        for j in range(len(evidence.columns)):
            before, after = _codes_of(evidence, j)
            wrong.append(2 * distinct(before, after) - distinct(before) - distinct(after))
        return Deviation(wrong, 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        before, kept = [[1, 1, 2, 3], [5, 6, 6, 6]], [[9, 9, 4, 1], [6, 5, 5, 5]]
        return [
            Example(cls(), evidence_of(before, kept), True, "renamed"),
            Example(cls(), evidence_of(before, with_cell(kept, 1, 3, 7)), False, "two replacements in the last column"),
            Example(cls(), evidence_of(before, with_cell(kept, 0, 3, 4)), False, "one replacement for two values"),
            Example(cls(), evidence_of([[1, GAP, GAP]], [[2, GAP, GAP]]), True, "gaps stay"),
            Example(cls(), evidence_of([[1, GAP, GAP]], [[2, GAP, 3]]), False, "one of two gaps was filled"),
            Example(cls(), evidence_of([[1, 1]], [[1, 1]], origin=[0, -1]), False, "a record without an original"),
        ]
