"""Quantiles of counts, beside those of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from microveil.kernels.regression.counts import poisson_quantiles

U = np.concatenate([np.random.default_rng(1).random(500), [2.0**-53, 1e-16, 1 - 2.0**-53]])


@pytest.mark.parametrize("mean", [0.0, 1e-300, 1e-8, 0.1, 3.0, 1000.0, 9e5])
def test_quantiles_are_those_of_poisson(mean):
    means = np.full(len(U), mean)
    assert poisson_quantiles(U, means).tolist() == stats.poisson.ppf(U, means).tolist()


def test_large_means_are_nearly_normal():
    found = poisson_quantiles(U, np.full(len(U), 4e6))
    assert np.abs(found - stats.poisson.ppf(U, 4e6)).max() <= 1
    assert poisson_quantiles(U, np.full(len(U), 1e15)).std() == pytest.approx(1e15**0.5, rel=0.3)


def test_a_number_is_the_same_whoever_stands_beside_it():
    means = np.linspace(0, 50, len(U))
    whole = poisson_quantiles(U, means)
    assert [poisson_quantiles(U[i : i + 1], means[i : i + 1])[0] for i in range(0, len(U), 50)] == whole[::50].tolist()
