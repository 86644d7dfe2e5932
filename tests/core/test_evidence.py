"""Evidence held column by column, and the moments that claims compare."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.claims import CovariancesKept, MeansKept, VariancesKept
from microveil.core.evidence import Evidence, Moments, share_of_repeats

NAMES = ("a", "b", "c")


def evidence(gaps: bool = False) -> Evidence:
    rng = np.random.default_rng(2)
    X = rng.normal(1e6, 3.0, size=(5000, 3)) @ np.array([[1, 0.3, 0], [0, 1, 0.5], [0, 0, 1]])
    Y = X + rng.normal(size=X.shape)
    if gaps:
        X[:7, 0] = np.nan
        Y[:7, 0] = np.nan
    return Evidence(NAMES, X.T, Y.T, np.zeros(3), np.arange(len(X)), np.zeros(len(X), dtype=np.int64))


@pytest.mark.parametrize("gaps", [False, True])
def test_deviations_are_those_of_the_whole_matrices(gaps: bool) -> None:
    found = evidence(gaps)
    scale = np.nanstd(found.before, axis=0)
    means = (np.nanmean(found.after, axis=0) - np.nanmean(found.before, axis=0)) / scale
    assert MeansKept().check(found).deviation == pytest.approx(np.abs(means).max(), rel=1e-6)
    variances = (np.nanvar(found.after, axis=0) - np.nanvar(found.before, axis=0)) / scale**2
    assert VariancesKept().check(found).deviation == pytest.approx(np.abs(variances).max(), rel=1e-6)
    complete = ~np.isnan(found.before).any(axis=1)
    before, after = (np.cov(X[complete].T / scale[:, None], bias=True) for X in (found.before, found.after))
    assert CovariancesKept().check(found).deviation == pytest.approx(np.abs(after - before).max(), rel=1e-6)


def test_parts_of_rows_and_columns() -> None:
    found = evidence()
    half = np.arange(5000) % 2 == 0
    part = found.only(("c", "a")).rows(half)
    assert part.columns == ("c", "a")
    assert np.array_equal(part.before, found.before[half][:, [2, 0]])
    assert np.array_equal(part.after, found.after[half][:, [2, 0]])
    assert np.array_equal(part.origin, np.arange(2500))


def test_moments_are_those_of_numpy() -> None:
    X = evidence().before - 1e6
    found = Moments(X.T)
    assert found.means == pytest.approx(X.mean(axis=0), rel=1e-14)
    assert found.variances == pytest.approx(X.var(axis=0), rel=1e-12)
    assert found.covariances == pytest.approx(np.cov(X.T, bias=True), rel=1e-10)
    assert found.largest == pytest.approx(np.abs(X).max(axis=0))


def test_no_row_is_complete() -> None:
    found = Moments([np.array([1.0, np.nan]), np.array([np.nan, 2.0])])
    assert np.isnan(found.covariances).all()
    assert found.complete_rows == 0
    assert found.means.tolist() == [1.0, 2.0]


def test_repeats_of_large_columns_are_told_from_some_of_their_values():
    draw = np.random.default_rng(0)
    groups = np.repeat(draw.normal(size=30_000), 5)[draw.permutation(150_000)]
    single = draw.normal(size=150_000)
    whole = np.round(draw.normal(size=150_000) * 100)
    found = share_of_repeats([groups, single, whole], np.array([0.5, 0.5, 0.5]))
    assert found[0] == pytest.approx(5 / 150_000, rel=0.1)
    assert found[1] == pytest.approx(1 / 150_000)
    assert found[2] == 0.0


def test_the_scale_of_a_column_is_its_spread_or_its_size() -> None:
    columns = [np.array(cells) for cells in ([1.0, 3.0], [-5.0, -5.0], [0.0, 0.0], [np.nan, np.nan], [1e-300, 3e-300])]
    evidence = Evidence(tuple("abcde"), columns, columns, np.zeros(5), np.arange(2))
    assert evidence.scale.tolist() == [1.0, 5.0, 1.0, 1.0, pytest.approx(2e-300)]
