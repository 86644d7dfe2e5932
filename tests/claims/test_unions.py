"""What a union of groups inherits from claims that hold in each of them."""

from __future__ import annotations

import pytest

from microveil.claims import (
    AgreeingRowsAtLeast,
    Claim,
    CovariancesKept,
    EqualRowsAsideGaps,
    MeansKept,
    OrderKept,
    RangeKept,
    RankShiftWithin,
    TotalsWithin,
    VariancesKept,
)
from microveil.claims.unions import of_union


@pytest.mark.parametrize(
    ("inside", "whole"),
    [
        ((MeansKept(), CovariancesKept()), (MeansKept(), CovariancesKept())),
        ((CovariancesKept(), VariancesKept()), ()),
        ((VariancesKept(), MeansKept()), (VariancesKept(), MeansKept())),
        ((MeansKept(), CovariancesKept(factor=2.0)), (MeansKept(),)),
        ((MeansKept(), CovariancesKept(diagonal=0.1)), (MeansKept(),)),
        ((MeansKept(("a",)), CovariancesKept(("a", "b"))), (MeansKept(("a",)),)),
        ((MeansKept(("a",)), CovariancesKept()), (MeansKept(("a",)),)),
        ((MeansKept(("a", "b")), VariancesKept(("b",))), (MeansKept(("a", "b")), VariancesKept(("b",)))),
        ((RankShiftWithin(), OrderKept(), TotalsWithin(), RangeKept()), (RangeKept(),)),
        ((EqualRowsAsideGaps(k=3), AgreeingRowsAtLeast(k=3)), (EqualRowsAsideGaps(k=3), AgreeingRowsAtLeast(k=3))),
    ],
)
def test_union(inside: tuple[Claim, ...], whole: tuple[Claim, ...]) -> None:
    assert of_union(inside) == whole
