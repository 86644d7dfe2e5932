from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from microveil.loss.logistic import fit_logistic


def blocks_of(X: np.ndarray, step: int = 1000):
    def blocks() -> Iterator[tuple[slice, np.ndarray]]:
        for first in range(0, len(X), step):
            yield slice(first, first + step), X[first : first + step].copy()

    return blocks


def test_one_indicator_gives_the_shares_of_the_groups():
    x = np.repeat([0.0, 1.0], [40, 60])
    t = np.concatenate([np.repeat([1.0, 0.0], [10, 30]), np.repeat([1.0, 0.0], [45, 15])])
    found = fit_logistic(blocks_of(x[:, None], 7), 1, t, 0.0)
    assert found.converged
    assert found.probabilities[[0, -1]] == pytest.approx([0.25, 0.75], rel=1e-9)


def test_score_equations_hold_on_a_hard_design():
    generator = np.random.default_rng(1)
    z = generator.standard_t(2, size=(3000, 2))
    X = np.column_stack([z, z**2, z**3, z[:, 0] * z[:, 1]])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    t = (generator.random(3000) < 1 / (1 + np.exp(-z[:, 0]))).astype(float)
    found = fit_logistic(blocks_of(X), X.shape[1], t, 0.0)
    assert found.converged
    assert np.abs(X.T @ (t - found.probabilities)).max() < 1e-4
    assert abs(t.sum() - found.probabilities.sum()) < 1e-6


def test_separation_ends_and_is_reported():
    x = np.linspace(-1, 1, 200)[:, None]
    t = (x[:, 0] > 0).astype(float)
    for ridge in (0.0, 1e-6):
        found = fit_logistic(blocks_of(x), 1, t, ridge)
        assert ((found.probabilities > 0.5) == (t > 0.5)).all()
        assert np.isfinite(found.probabilities).all()
