"""Errors for the statistics of a group: their size is what the docstrings state."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.moments.jitter import shift_of_fit, stretch_parts


def test_without_kept_columns_the_mean_moves_by_jitter_over_n():
    rng, n = np.random.default_rng(0), 5
    x = rng.normal(size=n)
    scaled = ((x - x.mean()) / x.std())[None]
    moved = [shift_of_fit(scaled, np.zeros((0, n)), 0.3, rng.normal(size=(n, 1)))[0] for _ in range(4000)]
    assert np.ptp(moved, axis=1).max() < 1e-12  # all records by the same
    assert np.std([shift[0] for shift in moved]) == pytest.approx(0.3 / n, rel=0.05)


def test_a_residual_sum_of_squares_moves_by_at_least_what_hides_a_record():
    rng, n, jitter = np.random.default_rng(1), 6, 0.1
    residual = rng.normal(size=(1, n))
    q = float((residual**2).sum())
    # one column: its residuals have one component, of length sqrt(q)
    parts = np.array([[np.sqrt(q)]])
    largest = np.abs(residual).max() / np.sqrt(q / n)
    found = []
    for _ in range(4000):
        new = stretch_parts(parts, np.ones((1, 1)), residual, jitter, rng.normal(size=1))
        found.append(float((new**2).sum()) - q)
    assert np.std(found) == pytest.approx(2 * q * jitter * largest / n, rel=0.08)


def test_no_jitter_moves_nothing():
    scaled = np.eye(2, 4)
    assert not shift_of_fit(scaled, scaled[:1], 0.0, np.ones((4, 2))).any()
    assert stretch_parts(np.eye(2), np.eye(2), scaled, 0.0, np.ones(4)).tolist() == np.eye(2).tolist()
