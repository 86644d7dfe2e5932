"""Claims that compare each released cell with its own original, or with fixed facts of the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.claims.claim import BLANK, DROP, PERMUTE, Claim, Deviation, Example, InUnions
from microveil.claims.evidence import EXACT, Evidence
from microveil.claims.examples import GAP, NEAR, evidence_of, with_cell
from microveil.core.arrays import Matrix, Vector


def _own(evidence: Evidence) -> Matrix:
    """The original row of each released row."""
    return evidence.before[evidence.origin]


def _largest(cells: Matrix) -> Matrix:
    """The largest of each column, 0 where none is positive; gaps aside."""
    return np.asarray(np.fmax.reduce(cells, axis=0, initial=0.0), dtype=np.float64)


def _beyond(one: Vector, other: Vector) -> Vector:
    """How far one number lies above the other; equal ends are not apart, infinite ones of empty columns included."""
    return np.subtract(one, other, out=np.zeros_like(one), where=one > other)


class _OfCells(Claim):
    """What holds for each cell holds for any rows."""

    about = "cells"

    @property
    def in_unions(self) -> InUnions:
        """Every cell lies in one of the parts."""
        return "yes"


@dataclass(frozen=True)
class CellsUnchanged(_OfCells):
    """Every released cell is that of its original record, or missing where `gaps` allows it."""

    seen_by = "rows"
    text = "every cell{of} is the original's"
    gaps: bool = False
    by_record = True
    withstands = frozenset({DROP})

    def __str__(self) -> str:
        return f"{super().__str__()} or missing" if self.gaps else super().__str__()

    def survives(self, change: str, columns: frozenset[str]) -> bool:
        """Gaps may be made where they are allowed."""
        return super().survives(change, columns) or (self.gaps and change == BLANK)

    @property
    def composes(self) -> bool:
        return True

    def deviation(self, evidence: Evidence) -> Deviation:
        x, y = _own(evidence), evidence.after
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        if self.gaps:
            same |= np.isnan(y)
        return Deviation((~same).sum(axis=0), 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        gappy = with_cell(NEAR, 1, 2, GAP)
        return [
            Example(cls(), evidence_of(NEAR, [[3, 1], [9, 7]], origin=[2, 0]), True, "some records"),
            Example(cls(), evidence_of(NEAR, [[3, 1], [9, 7]], origin=[0, 2]), False, "under other records"),
            Example(cls(), evidence_of(NEAR, with_cell(NEAR, 1, 2, 9 + 1e-12)), False, "one cell of the last column"),
            Example(cls(), evidence_of(NEAR, gappy), False, "a cell is missing"),
            Example(cls(), evidence_of(gappy, gappy), True, "a gap stays"),
            Example(cls(), evidence_of(gappy, NEAR), False, "a gap was filled"),
            Example(cls(), evidence_of(NEAR, NEAR, origin=[0, 1, -1]), False, "a record without an original"),
            Example(cls(gaps=True), evidence_of(NEAR, gappy), True, "a cell is missing and may be"),
            Example(cls(gaps=True), evidence_of(gappy, NEAR), False, "a gap was filled where gaps are allowed"),
            Example(cls(gaps=True), evidence_of(NEAR, with_cell(gappy, 1, 0, 8)), False, "another cell changed"),
        ]


@dataclass(frozen=True)
class RangeKept(_OfCells):
    """No released value lies outside the original's smallest and largest."""

    seen_by = "moments"
    text = "no value{of} lies outside the original range"
    withstands = frozenset({BLANK, DROP, PERMUTE})

    @property
    def composes(self) -> bool:
        return True

    def deviation(self, evidence: Evidence) -> Deviation:
        before, after = evidence.moments_before, evidence.moments_after
        outside = np.maximum(_beyond(before.lowest, after.lowest), _beyond(after.highest, before.highest))
        return Deviation(outside / evidence.scale, evidence.exact)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return [
            Example(cls(), evidence_of(NEAR, [[1, 3, 3], [7, 9, 8]]), True, "up to both ends"),
            Example(cls(), evidence_of(NEAR, [[1, 3, 3], [7 - 1e-6, 9, 8]]), False, "below the last column"),
            Example(cls(), evidence_of(NEAR, [[1, 3, 3], [7, 9 + 1e-6, 8]]), False, "above the last column"),
            Example(cls(), evidence_of(NEAR, [[1 - 1e-6, 3, 3], [7, 9, 8]]), False, "below the first column"),
            Example(cls(), evidence_of([[1, GAP, 3]], [[GAP, 2, 3]]), True, "gaps have no place in a range"),
            Example(cls(), evidence_of([[1, GAP, 3]], [[0, GAP, GAP]]), False, "below beside gaps"),
            Example(cls(), evidence_of([[GAP, GAP]], [[GAP, GAP]]), True, "no value on either side"),
            Example(cls(), evidence_of([[GAP, GAP]], [[1, GAP]]), False, "a value where there was none"),
            Example(cls(), evidence_of([[1, 2, 3]], [[3, 3]], origin=[-1, -1]), True, "synthetic records"),
        ]


@dataclass(frozen=True)
class ChangeWithin(_OfCells):
    """No value moves by more than `distance`."""

    seen_by = "rows"
    text = "no value{of} moves by more than {distance:,.12g}"
    distance: float = 0.0
    by_record = True
    withstands = frozenset({BLANK, DROP})

    def deviation(self, evidence: Evidence) -> Deviation:
        change = _largest(np.abs(evidence.after - _own(evidence)))
        held = (evidence.exact - EXACT) * evidence.scale
        return Deviation(change, self.distance * (1 + EXACT) + held, evidence.half_unit)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        claim = cls(distance=0.5)
        return [
            Example(claim, evidence_of(NEAR, [[1.5, 1.5, 3], [7.5, 7.5, 9]]), True, "by the distance, up and down"),
            Example(claim, evidence_of(NEAR, [[1.5, 1.5, 3], [7.5, 7.5, 9.500001]]), False, "up in the last column"),
            Example(claim, evidence_of(NEAR, [[1.5, 1.5, 3], [7.5, 7.499999, 9]]), False, "down in the last column"),
            Example(claim, evidence_of([[0, 1e6]], [[0.5, 1e6]]), True, "by the distance among large values"),
            Example(claim, evidence_of([[0, 1e6]], [[0.5001, 1e6]]), False, "by more among large values"),
            Example(claim, evidence_of([[1, GAP, 3]], [[1.5, 9, GAP]]), True, "gaps do not move"),
            Example(claim, evidence_of([[1, GAP, 3]], [[1.6, 9, GAP]]), False, "beside gaps"),
            Example(claim, evidence_of([[1, 2]], [[2, 1]], half_unit=0.5), True, "rounding adds half a unit to a cell"),
            Example(claim, evidence_of([[1, 2]], [[2.01, 1]], half_unit=0.5), False, "more than rounding adds"),
            Example(claim, evidence_of([[1, 2]], [[2, 1]], origin=[1, 0]), True, "rows in another order"),
            Example(claim, evidence_of([[1, 2]], [[1, 2]], origin=[0, -1]), False, "a record without an original"),
        ]


@dataclass(frozen=True)
class RelativeChangeWithin(_OfCells):
    """No value changes by more than a share of itself; zeros stay zero."""

    seen_by = "rows"
    text = "no value{of} changes by more than {share:.4g} of itself"
    share: float = 0.0
    by_record = True
    withstands = frozenset({BLANK, DROP})

    def deviation(self, evidence: Evidence) -> Deviation:
        x = _own(evidence)
        excess = _largest(np.abs(evidence.after - x) - self.share * np.abs(x)) / evidence.scale
        return Deviation(excess, evidence.exact, evidence.half_unit / evidence.scale)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        claim, before = cls(share=0.1), [[10, -20, 0], [100, 200, 300]]
        kept = [[11, -18, 0], [90, 220, 330]]
        return [
            Example(claim, evidence_of(before, kept), True, "by the whole share, up and down"),
            Example(claim, evidence_of(before, with_cell(kept, 1, 2, 330.001)), False, "up in the last column"),
            Example(claim, evidence_of(before, with_cell(kept, 1, 0, 89.999)), False, "down in the last column"),
            Example(claim, evidence_of(before, with_cell(kept, 0, 2, 1e-6)), False, "a zero moved"),
            Example(claim, evidence_of([[10, GAP]], [[11, 5]]), True, "gaps have no share"),
            Example(claim, evidence_of([[10, GAP]], [[11.1, 5]]), False, "beside gaps"),
            Example(claim, evidence_of([[12, 20]], [[13.7, 18]], half_unit=0.5), True, "rounding adds half a unit"),
            Example(claim, evidence_of([[12, 20]], [[13.8, 18]], half_unit=0.5), False, "more than rounding adds"),
            Example(claim, evidence_of([[10, 20]], [[10, 20]], origin=[0, -1]), False, "a record without an original"),
        ]
