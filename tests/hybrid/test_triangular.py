"""The published hybrid to the letter, against the algorithm written out entry by entry."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput
from microveil.hybrid import CholeskyHybrid
from microveil.hybrid.triangular import hybrid_of_drawn_rows, last_rows, triangular_hybrid
from microveil.kernels.moments.central import mean_and_covariance
from microveil.mask import UncorrelatedNoise
from tests.streams import streams_of


def algorithm_as_printed(X, masked):
    """Algorithms 1 and 2 of the paper, step by step."""
    n, m = X.shape
    U = np.linalg.cholesky(np.cov(X, rowvar=False, bias=True)).T
    A = masked @ np.linalg.inv(U)
    A[:, 0] -= A[:, 0].mean()
    for v in range(2, m + 1):
        equations = np.array([[A[n - v + i, j] for i in range(1, v)] for j in range(v - 1)])
        sums = np.array([sum(A[i, j] * A[i, v - 1] for i in range(n - v + 1)) for j in range(v - 1)])
        A[n - v + 1 :, v - 1] = np.linalg.solve(equations, -sums)
        A[:, v - 1] -= A[:, v - 1].mean()
    return A / A.std(axis=0) @ U + X.mean(axis=0)


@pytest.fixture
def files():
    rng = np.random.default_rng(3)
    X = rng.gamma(2.0, 3.0, size=(60, 4)) @ rng.normal(size=(4, 4)) + 50
    return X, X + rng.normal(size=X.shape)


def test_equals_the_algorithm_as_printed(files):
    X, masked = files
    ours = triangular_hybrid(masked, *mean_and_covariance(X), last_rows(masked))
    assert ours == pytest.approx(algorithm_as_printed(X, masked), rel=1e-8)


def test_moments_are_exact_also_where_columns_depend_on_one_another(files):
    X, masked = (np.column_stack([Z, Z[:, 0] + Z[:, 1]]) for Z in files)
    Y = triangular_hybrid(masked, *mean_and_covariance(X), last_rows(masked))
    assert Y.mean(axis=0) == pytest.approx(X.mean(axis=0), rel=1e-12)
    assert np.cov(Y, rowvar=False) == pytest.approx(np.cov(X, rowvar=False), rel=1e-10, abs=1e-10)


def test_records_drawn_are_the_last_ones_of_another_order(files):
    X, masked = files
    drawn = streams_of(8).at(0).order(len(X))[: X.shape[1] - 1]
    order = np.r_[np.setdiff1d(np.arange(len(X)), drawn), drawn[::-1]]
    expected = np.empty_like(X)
    expected[order] = triangular_hybrid(masked[order], *mean_and_covariance(X), last_rows(masked))
    found = hybrid_of_drawn_rows(masked, *mean_and_covariance(X), streams_of(8))
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_masked_file_that_no_draw_solves_is_refused(files):
    X, _ = files
    with pytest.raises(BadInput, match="none of 25 draws of records can take the correction"):
        hybrid_of_drawn_rows(np.ones_like(X), *mean_and_covariance(X), streams_of(1))


def test_the_records_are_a_parameter_of_the_hybrid(files):
    frame = pd.DataFrame(files[0], columns=list("abcd"))
    noise = UncorrelatedNoise(p=0.5)
    pivoted, last, drawn = (
        CholeskyHybrid(mask=noise, core="paper", rows=rows).apply(frame, seed=1).frame.to_numpy()
        for rows in ("pivoted", "last", "drawn")
    )
    minimal = CholeskyHybrid(mask=noise).apply(frame, seed=1).frame.to_numpy()
    # columns after the first are off the smallest correction mostly in the records that took it
    assert np.abs(last - minimal)[-3:, 1:].max() > np.abs(last - minimal)[:-3, 1:].max()
    assert not np.array_equal(last, pivoted)
    assert not np.array_equal(last, drawn)
    with pytest.raises(BadInput, match="rows='last' needs core='paper'; core is"):
        CholeskyHybrid(rows="last")
