"""Tails of the t distribution against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, multivariate_t

from microveil.kernels.mixture.tails import GAUSSIAN, best_degrees, tail_constants


@pytest.mark.parametrize("columns", [1, 3])
def test_the_density_at_the_centre(columns: int):
    centre, unit = np.zeros(columns), np.eye(columns)
    wanted = [multivariate_t(centre, unit, df=4).logpdf(centre), multivariate_normal(centre, unit).logpdf(centre)]
    assert tail_constants(np.array([4.0, GAUSSIAN]), columns) == pytest.approx(wanted)


def test_degrees_of_freedom_are_found_again():
    draws = np.random.default_rng(0).standard_t(5, 40_000)
    degrees = np.array([20.0])
    for _ in range(200):  # steps of EM, with known centre and scale
        u = (degrees + 1) / (degrees + draws[:, None] ** 2)
        degrees = best_degrees(np.ones((len(draws), 1)), u, degrees, 1)
    assert degrees[0] == pytest.approx(5, rel=0.08)


def test_normal_values_get_the_most_there_are():
    draws = np.random.default_rng(0).normal(size=5_000) * 0.9
    u = 201 / (200 + draws[:, None] ** 2)
    assert best_degrees(np.ones((len(draws), 1)), u, np.array([200.0]), 1)[0] == 200
