from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from microveil.loss.logistic import fit_logistic


class Dense:
    """Terms that are held, in blocks."""

    def __init__(self, X: np.ndarray, step: int = 1000):
        self.X, self.step, self.count, self.passes = X, step, X.shape[1], 0

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        self.passes += 1
        for first in range(0, len(self.X), self.step):
            yield slice(first, first + self.step), self.X[first : first + self.step].copy()

    def linear(self, weights: np.ndarray) -> np.ndarray:
        return self.X @ weights

    def totals(self, weights: np.ndarray) -> np.ndarray:
        return self.X.T @ weights

    def cross(self) -> np.ndarray:
        with_one = np.column_stack([np.ones(len(self.X)), self.X])
        return with_one.T @ with_one / len(self.X)


def test_one_indicator_gives_the_shares_of_the_groups():
    x = np.repeat([0.0, 1.0], [40, 60])
    t = np.concatenate([np.repeat([1.0, 0.0], [10, 30]), np.repeat([1.0, 0.0], [45, 15])])
    found = fit_logistic(Dense(x[:, None], 7), t, 0.0)
    assert found.converged
    assert found.probabilities[[0, -1]] == pytest.approx([0.25, 0.75], rel=1e-9)


def test_score_equations_hold_on_a_hard_design():
    generator = np.random.default_rng(1)
    z = generator.standard_t(2, size=(3000, 2))
    X = np.column_stack([z, z**2, z**3, z[:, 0] * z[:, 1]])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    t = (generator.random(3000) < 1 / (1 + np.exp(-z[:, 0]))).astype(float)
    found = fit_logistic(Dense(X), t, 0.0)
    assert found.converged
    assert np.abs(X.T @ (t - found.probabilities)).max() < 1e-4
    assert abs(t.sum() - found.probabilities.sum()) < 1e-6


def test_separation_ends_and_is_reported():
    x = np.linspace(-1, 1, 200)[:, None]
    t = (x[:, 0] > 0).astype(float)
    for ridge in (0.0, 1e-6):
        found = fit_logistic(Dense(x), t, ridge)
        assert ((found.probabilities > 0.5) == (t > 0.5)).all()
        assert np.isfinite(found.probabilities).all()


@pytest.mark.parametrize("effect", [0.05, 3.0])
def test_curvature_known_is_used_where_it_serves_and_the_fit_is_the_same(effect):
    generator = np.random.default_rng(2)
    X = generator.normal(size=(2000, 3))
    t = (generator.random(2000) < 1 / (1 + np.exp(-effect * X[:, 0]))).astype(float)
    design = Dense(X)
    found = fit_logistic(design, t, 0.0)
    assert found.converged
    assert (design.passes > 0) == (effect > 1)
    with_one, b = np.column_stack([np.ones(2000), X]), np.zeros(4)
    for _ in range(30):  # Newton's own steps
        p = 1 / (1 + np.exp(-with_one @ b))
        b += np.linalg.solve((with_one * (p * (1 - p))[:, None]).T @ with_one, with_one.T @ (t - p))
    assert np.abs(found.probabilities - p).max() < 1e-8
