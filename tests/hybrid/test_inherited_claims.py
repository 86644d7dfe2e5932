"""What a union of groups inherits from claims that hold in each of them."""

from __future__ import annotations

import pytest
from microveil.hybrid.inherited_claims import inherited, of_permuted_rows, of_union

from microveil.claims import (
    AgreeingRowsAtLeast,
    Claim,
    CovariancesAmongReplaced,
    CovariancesKept,
    EqualRowsAsideGaps,
    MeansKept,
    OrderKept,
    RangeKept,
    RankShiftWithin,
    TableKept,
    TotalsWithin,
    ValuesKept,
    VariancesKept,
)
from microveil.synth import Ipso


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


def test_without_the_kept_columns_covariances_are_those_among_the_replaced() -> None:
    assert inherited(Ipso(), ("a", "b")) == (MeansKept(), CovariancesKept())
    assert inherited(Ipso(), ("a", "b"), dropped=True) == (MeansKept(), CovariancesAmongReplaced())


def test_permuted_rows_keep_values_and_the_table_of_several_columns() -> None:
    assert of_permuted_rows(("a",)) == (ValuesKept(),)
    assert of_permuted_rows(("a", "b")) == (ValuesKept(), TableKept(("a", "b")))
