"""Claims about columns that are looked at in their order: the verdicts of the same columns in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from microveil.claims import Claim, Evidence, in_order
from microveil.claims.claim import registered_claims
from microveil.claims.in_order import ColumnInOrder
from microveil.core.arrays import Ints, Vector
from microveil.kernels.ranks.places import rank_intervals

CLAIMS = [
    claim for claim in registered_claims() if claim.by_column and claim.__module__.startswith("microveil.claims.")
]


@dataclass(frozen=True)
class Side:
    column: Vector
    other: Vector

    @property
    def rows(self) -> int:
        return len(self.column)

    @property
    def count(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.column)))

    def values(self, start: int, stop: int) -> Vector:
        return np.sort(self.column)[start:stop]

    def beside(self, start: int, stop: int) -> Vector:
        return self.other[np.argsort(self.column, kind="stable")][start:stop]

    def intervals(self, asked: Vector) -> tuple[Ints, Ints]:
        return rank_intervals(self.values(0, self.count), np.sort(asked), np.argsort(asked, kind="stable"))


def column_of(evidence: Evidence, place: int) -> ColumnInOrder:
    before, after = evidence.original[place], evidence.released[place]
    beside = np.full(len(before), np.nan)
    own = evidence.origin >= 0
    beside[evidence.origin[own]] = after[own]
    return ColumnInOrder(Side(before, beside), Side(after, np.where(own, before[evidence.origin], np.nan)))


@pytest.mark.parametrize("step", [1, 2, 3, 100])
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.__name__)
def test_examples_are_judged_as_in_memory(claim: type[Claim], step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_order, "STEP", step)
    for example in claim.examples():
        found = []
        for place, name in enumerate(example.evidence.columns):
            alone = replace(example.claim, columns=(name,))
            verdict = alone.check_in_order(
                column_of(example.evidence, place), bool((example.evidence.origin < 0).any())
            )
            known = alone.check(example.evidence)
            assert (verdict.holds, verdict.exactly) == (known.holds, known.exactly), example.what
            assert verdict.deviation == pytest.approx(known.deviation)
            found.append(verdict.holds)
        assert all(found) == example.holds, example.what


def test_random_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_order, "STEP", 5)
    draw = np.random.default_rng(1)
    for _ in range(60):
        before, after = draw.integers(0, draw.integers(1, 12), (2, 23)).astype(float)
        before[draw.random(23) < 0.1], after[draw.random(23) < 0.1] = np.nan, np.nan
        evidence = Evidence(("x",), [before], [after], np.zeros(1), np.arange(23))
        for claim in CLAIMS:
            known = claim(columns=("x",)).check(evidence)
            found = claim(columns=("x",)).check_in_order(column_of(evidence, 0), False)
            assert (found.holds, found.deviation) == (known.holds, pytest.approx(known.deviation)), claim
