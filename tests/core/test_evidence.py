"""Evidence held by columns says the same as evidence held as matrices."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.claims import Claim, CovariancesKept, MeansKept, RangeKept, VariancesKept
from microveil.core.evidence import ColumnEvidence, Evidence, Moments

NAMES = ("a", "b", "c")


def both(gaps: bool) -> tuple[Evidence, ColumnEvidence]:
    rng = np.random.default_rng(2)
    X = rng.normal(1e6, 3.0, size=(5000, 3)) @ np.array([[1, 0.3, 0], [0, 1, 0.5], [0, 0, 1]])
    Y = X + rng.normal(size=X.shape)
    if gaps:
        X[:7, 0] = np.nan
        Y[:7, 0] = np.nan
    rest = (np.zeros(3), np.arange(len(X)), np.zeros(len(X), dtype=np.int64), rng.normal(size=(len(X), 1)))
    return Evidence(NAMES, X, Y, *rest), ColumnEvidence(NAMES, list(X.T), list(Y.T), *rest)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("claim", [MeansKept(), VariancesKept(), CovariancesKept(), RangeKept()], ids=str)
def test_the_same_deviation(claim: Claim, gaps: bool) -> None:
    whole, columns = both(gaps)
    for columns_named in (NAMES, ("c", "a")):
        named = claim.on(columns_named)
        assert named.check(columns).deviation == pytest.approx(named.check(whole).deviation, rel=1e-6)
    half = np.arange(5000) < 2500
    assert claim.check(columns.rows(half)).deviation == pytest.approx(claim.check(whole.rows(half)).deviation, rel=1e-6)
    found = claim.check(columns.without_given()).deviation
    assert found == pytest.approx(claim.check(whole.without_given()).deviation, rel=1e-6)


def test_moments_are_those_of_numpy() -> None:
    X = both(False)[0].before - 1e6
    found = Moments.of_matrix(X)
    assert found.means == pytest.approx(X.mean(axis=0), rel=1e-14)
    assert found.variances == pytest.approx(X.var(axis=0), rel=1e-12)
    assert found.covariances == pytest.approx(np.cov(X.T, bias=True), rel=1e-10)
    assert found.largest == pytest.approx(np.abs(X).max(axis=0))


def test_no_row_is_complete() -> None:
    found = Moments([np.array([1.0, np.nan]), np.array([np.nan, 2.0])])
    assert found.covariances.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert found.means.tolist() == [1.0, 2.0]
