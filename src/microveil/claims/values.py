"""Claims about the values of a file as a whole: the same values, the same table, nearly the same ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from microveil.claims.claim import BLANK, DROP, PERMUTE, Claim, Deviation, Example, InUnions, SeenBy
from microveil.claims.coding import code_values
from microveil.claims.evidence import Evidence
from microveil.claims.examples import GAP, TIED, evidence_of, with_cell
from microveil.claims.in_order import ColumnInOrder, count_different, largest_shift
from microveil.core.arrays import Vector
from microveil.core.threads import on_all_cores
from microveil.kernels.ranks.places import rank_intervals
from microveil.kernels.tables.classes import count_up, group_rows


@dataclass(frozen=True)
class ValuesKept(Claim):
    """Every attribute has exactly the original's values, only in other records."""

    by_column = True
    text = "values{of} are exactly the original's, in another order"
    withstands = frozenset({PERMUTE})

    @property
    def in_unions(self) -> InUnions:
        """The values of a union are those of its parts."""
        return "yes"

    @property
    def composes(self) -> bool:
        return True

    def deviation(self, evidence: Evidence) -> Deviation:
        if [len(column) for column in evidence.original] != [len(column) for column in evidence.released]:
            return Deviation(np.inf, 0.0)
        return Deviation([_different(*evidence.rising(j)) for j in range(len(evidence.columns))], 0.0)

    def deviation_in_order(self, column: ColumnInOrder) -> Deviation:
        alike = column.before.rows == column.after.rows
        return Deviation(count_different(column.before, column.after) if alike else np.inf, 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return [
            Example(cls(), evidence_of(TIED, [[3, 1, 2], [8, 8, 9]]), True, "both columns reordered"),
            Example(cls(), evidence_of(TIED, [[3, 1, 2], [8, 8, 8]]), False, "one value of the last column"),
            Example(cls(), evidence_of(TIED, [[3, 1, 2 + 1e-12], [8, 8, 9]]), False, "the smallest change of a value"),
            Example(cls(), evidence_of(TIED, [[3, 1], [8, 9]]), False, "a record was left out"),
            Example(cls(), evidence_of([[1, GAP, 2]], [[GAP, 2, 1]]), True, "gaps are counted"),
            Example(cls(), evidence_of([[1, GAP, 2]], [[GAP, 1, GAP]]), False, "one gap more"),
        ]


@dataclass(frozen=True)
class RankShiftWithin(Claim):
    """No value moves further than `percent` per cent of the records in rank; ranks are the original's."""

    by_column = True
    text = "no value{of} moves by more than {percent:g} % of the ranks"
    percent: float = 100.0
    by_record = True
    withstands = frozenset({BLANK, DROP})

    @property
    def public(self) -> str:
        """Without how far."""
        return f"no value{f' of {self.named}' if self.columns else ''} moves far among the ranks"

    def deviation(self, evidence: Evidence) -> Deviation:
        columns, rows = range(len(evidence.columns)), len(evidence.origin)
        return Deviation(on_all_cores(partial(self._excess, evidence), columns, rows), 0.0)

    def deviation_in_order(self, column: ColumnInOrder) -> Deviation:
        allowed = float(np.floor(column.before.count * self.percent / 100 + 1e-9))
        return Deviation(max(largest_shift(column) - allowed, 0.0), 0.0)

    def _excess(self, evidence: Evidence, column: int) -> float:
        before, after = evidence.rising(column)
        values = before[: np.count_nonzero(~np.isnan(before))]
        # tied values share an interval of ranks: the shift is the gap between both intervals
        ranks = rank_intervals(values, before, evidence.orders_before[column])
        first, last = ranks if evidence.in_place else (of_all[evidence.origin] for of_all in ranks)
        new_first, new_last = rank_intervals(values, after, evidence.orders_after[column])
        shift = np.maximum(new_first - last, first - new_last)
        if len(values) < len(before) or np.isnan(after[-1:]).any():
            shift = shift[~np.isnan(evidence.original[column][evidence.origin]) & ~np.isnan(evidence.released[column])]
        return max(float(np.max(shift, initial=0)) - float(np.floor(len(values) * self.percent / 100 + 1e-9)), 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        ten, claim = [list(np.arange(10.0))] * 2, cls(percent=20)
        up, down = [0.0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0.0, 1, 2, 3, 4, 5, 6, 9, 7, 8]
        far = [0.0, 1, 2, 3, 4, 5, 9, 6, 7, 8]
        gappy = [0.0, 1, 2, 3, 4, 5, 6, 7, 8, 9, GAP, GAP, GAP, GAP, GAP]
        return [
            Example(claim, evidence_of(ten, [up, down]), True, "two places up in the last column"),
            Example(claim, evidence_of(ten, [up, far]), False, "three places up in the last column"),
            Example(claim, evidence_of(ten, [up, with_cell([up], 0, 9, 6.0)[0]]), False, "three places down"),
            Example(claim, evidence_of(ten, [up, with_cell([up], 0, 9, 7.0)[0]]), True, "two places down"),
            Example(claim, evidence_of([[1, 1, 1, 1, 2]], [[1, 1, 1, 2, 1]]), True, "tied values share their ranks"),
            Example(claim, evidence_of([gappy], [[*down, *gappy[10:]]]), True, "gaps have no rank"),
            Example(claim, evidence_of([gappy], [[*far, *gappy[10:]]]), False, "gaps do not widen what is allowed"),
            Example(claim, evidence_of([ten[0]], [[4, 5, 8]], origin=[4, 5, 6]), True, "some records only"),
            Example(claim, evidence_of([ten[0]], [[4, 5, 9]], origin=[4, 5, 6]), False, "ranks of the whole original"),
            Example(claim, evidence_of([ten[0]], [[4.0]], origin=[-1]), False, "a record without an original"),
        ]


def _different(before: Vector, after: Vector) -> int:
    return int(np.count_nonzero(~((before == after) | (np.isnan(before) & np.isnan(after)))))


@dataclass(frozen=True)
class TableKept(Claim):
    """The joint table of these columns is exactly the original's."""

    seen_by: ClassVar[SeenBy] = "classes"
    of_rows = True
    text = "the table{of} is exactly the original's"

    @property
    def in_unions(self) -> InUnions:
        """Counts add up."""
        return "yes"

    def survives(self, change: str, columns: frozenset[str]) -> bool:
        """The table of one column has no order."""
        return change == PERMUTE and len(self.columns) == 1

    @property
    def composes(self) -> bool:
        return True

    def deviation(self, evidence: Evidence) -> Deviation:
        both = (np.concatenate(pair) for pair in zip(evidence.original, evidence.released, strict=True))
        labels = group_rows(np.column_stack([code_values(column) for column in both]))[0]
        n, cells = len(evidence.original[0]), int(labels.max(initial=-1)) + 1
        before = count_up(labels[:n], evidence.times_before, cells)
        return Deviation(np.abs(before - count_up(labels[n:], evidence.times, cells)), 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        table = [[1, 1, 2, 2], [5, 6, 5, 6]]
        return [
            Example(cls(), evidence_of(table, [[2, 2, 1, 1], [6, 5, 6, 5]]), True, "whole rows reordered"),
            Example(cls(), evidence_of(table, [[1, 1, 2, 2], [5, 5, 6, 6]]), False, "each column has its values still"),
            Example(cls(), evidence_of(table, [[1, 1, 2, 2], [5, 6, 5, 5]]), False, "one cell of the last column"),
            Example(cls(), evidence_of([[0, 1], [1, 0]], [[1, 1], [0, 0]]), False, "the same values in other columns"),
            Example(cls(), evidence_of([[1, GAP]], [[GAP, 1]]), True, "a gap is a value"),
            Example(cls(), evidence_of([[1, GAP]], [[1, 1]]), False, "a gap was filled"),
            Example(cls(), evidence_of([[1, 1, 2]], [[1, 2]]), False, "a record was left out"),
        ]
