"""Sweeps towards another file beside the closed form of the nearest file with the same moments."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.rotation.feasible import Bounds, draw_feasible
from microveil.kernels.rotation.near import draw_near, sweep_towards
from tests.streams import streams_of


def standardised(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0)


def squared(X: np.ndarray, Y: np.ndarray) -> float:
    return float(((X - Y) ** 2).sum())


def least_squared(X: np.ndarray, Y: np.ndarray) -> float:
    """The squared distance of Y to the nearest file with the moments of X (Procrustes); both are centred."""
    root = np.linalg.cholesky(X.T @ X)
    U, _, V = np.linalg.svd(Y @ root, full_matrices=False)
    return squared(U @ V @ root.T, Y)


@pytest.mark.parametrize(("rows", "sweeps"), [(100, 300), (500, 600)])
def test_without_bounds_sweeps_end_at_the_nearest_file_with_these_moments(rows, sweeps):
    X = standardised(streams_of(1).normals(0, rows, 4) @ streams_of(2).normals(0, 4, 4))
    Y = standardised(X + 0.5 * streams_of(3).normals(0, rows, 4))
    least = least_squared(X, Y)
    none = np.zeros((rows, 0))
    new, _ = sweep_towards(X, none, none[:1], Y, np.array([0, rows]), streams_of(4), sweeps)
    assert least <= squared(new, Y) * (1 + 1e-9)
    assert squared(new, Y) <= 1.01 * least


@pytest.mark.parametrize("rows", [50, 200, 500])
def test_without_bounds_sweeps_end_by_themselves_within_a_hundredth_of_the_nearest_file(rows):
    X = standardised(np.exp(0.5 * streams_of(1).normals(0, rows, 10) @ (np.eye(10) + 0.3)))
    Y = standardised(X + 0.5 * streams_of(3).normals(0, rows, 10))
    begun = draw_feasible(X, Bounds.none(10), X[:, :0], np.arange(rows) * 20 // rows, streams_of(2)).values
    new, _ = draw_near(begun, Y, np.ones(10), Bounds.none(10), np.zeros(rows, dtype=np.int64), streams_of(4))
    assert np.sqrt(squared(new, Y)) <= 1.01 * np.sqrt(least_squared(X, Y))


def test_bounds_hold_on_the_way_and_every_sweep_comes_nearer():
    X = np.exp(streams_of(5).normals(0, 200, 3))
    Y = X[streams_of(6).order(200)]
    starts, margins = np.arange(0, 201, 20), np.full((10, 3), 1e-12)
    far = squared(X, Y)
    for sweeps in (1, 5, 20):
        new, slacks = sweep_towards(X, X, margins, Y, starts, streams_of(7), sweeps)
        assert new.min() >= 0
        np.testing.assert_allclose(new, slacks, atol=1e-12)
        np.testing.assert_allclose(np.cov(new.T), np.cov(X.T), rtol=1e-10)
        assert squared(new, Y) < far
        far = squared(new, Y)


def test_rows_that_cannot_move_come_back_to_the_last_bit():
    X = np.zeros((40, 1))
    X[7] = 123.456
    bounds = Bounds(np.ones((1, 1)), np.zeros((1, 1)))
    new, sweeps = draw_near(X, X + 1.0, np.array([0.3]), bounds, np.zeros(40, dtype=np.int64), streams_of(8))
    assert sorted(new[:, 0]) == sorted(X[:, 0])
    assert sweeps >= 50


def test_a_row_on_its_bound_stays_there_if_it_is_not_turned():
    X = np.array([[1.0], [1234.567], [987.123]])
    bounds = Bounds(np.array([[1.0]]), np.array([[-1.0]]))
    new, _ = draw_near(X, X.copy(), np.array([0.37]), bounds, np.zeros(3, dtype=np.int64), streams_of(8))
    assert (new == X).all()


def test_a_constant_column_holds_no_row_back():
    X = np.column_stack([streams_of(9).normals(0, 60, 2), np.full(60, 0.1)])
    Y = X[streams_of(10).order(60)]
    new, _ = draw_near(X, Y, np.ones(3), Bounds.none(3), np.zeros(60, dtype=np.int64), streams_of(8))
    assert squared(new, Y) < 0.01 * squared(X, Y)
    assert (new[:, 2] == 0.1).all()
