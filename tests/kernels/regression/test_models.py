"""Regression models and their parameter draws against a known library, their score equations and theory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from microveil.kernels.regression import models as kernels
from microveil.kernels.regression import ordinal as synth_ordinal


def design(n=800, q=3, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, q))
    return np.column_stack([np.ones(n), (X - X.mean(axis=0)) / X.std(axis=0)])


def test_normal_parameters_are_drawn_from_their_posterior():
    W = design(60)
    draw = np.random.default_rng(1)
    y = W @ [1.0, 2.0, 0.0, -1.0] + draw.normal(size=60)
    estimate = kernels.draw_normal_model(W, y, draw, proper=False)
    assert estimate.coefficients == pytest.approx(np.linalg.lstsq(W, y, rcond=None)[0])
    found = [kernels.draw_normal_model(W, y, draw, proper=True) for _ in range(4000)]
    b = np.array([model.coefficients for model in found])
    # a multivariate t: its covariance is that of the estimate times freedom / (freedom - 2)
    expected = estimate.deviation**2 * np.linalg.inv(W.T @ W) * 56 / 54
    assert np.abs(np.cov(b.T) / np.sqrt(np.outer(np.diag(expected), np.diag(expected))) - np.eye(4)).max() < 0.3
    assert np.diag(np.cov(b.T)) == pytest.approx(np.diag(expected), rel=0.12)
    precision = np.mean([model.deviation**-2 for model in found])
    assert precision == pytest.approx(1 / estimate.deviation**2, rel=0.03)


def test_collinear_designs_are_no_obstacle():
    W = design(60)
    W = np.column_stack([W, W[:, 1] + W[:, 2]])
    y = W @ [1.0, 1.0, 0.0, 0.0, 1.0]
    model = kernels.draw_normal_model(W, y, np.random.default_rng(0), proper=True)
    assert np.abs(W @ model.coefficients - y).max() < 1e-8


@pytest.mark.parametrize("classes", [2, 4])
def test_multinomial_coefficients_are_those_of_scikit_learn(classes):
    linear_model = pytest.importorskip("sklearn.linear_model")
    W = design(2000)
    draw = np.random.default_rng(2)
    eta = np.column_stack([np.zeros(2000), *(W @ draw.normal(size=4) for _ in range(classes - 1))])
    y = np.argmax(eta + draw.gumbel(size=eta.shape), axis=1)
    B = kernels.draw_multinomial_model(W, y, classes, draw, proper=False)
    p = np.exp(W @ B)
    p /= p.sum(axis=1, keepdims=True)
    # the score equations with the weak prior
    for k in range(1, classes):
        score = W.T @ ((y == k) - p[:, k]) - np.append(0.0, kernels.RIDGE * B[1:, k])
        assert np.abs(score).max() < 0.05
    if classes == 2:
        theirs = linear_model.LogisticRegression(C=1 / kernels.RIDGE, tol=1e-10).fit(W[:, 1:], y)
        assert B[1:, 1] == pytest.approx(theirs.coef_[0], rel=1e-3, abs=1e-3)
    drawn = kernels.draw_multinomial(W @ B, draw.random(len(W)))
    assert np.abs(np.bincount(drawn, minlength=classes) - np.bincount(y, minlength=classes)).max() < 120


def test_a_large_file_starts_from_a_part_of_it_and_ends_at_the_same_place():
    W = design(12_000)
    draw = np.random.default_rng(3)
    y = (draw.random(12_000) < expit(W @ [0.5, 1.0, -1.0, 0.2])).astype(np.int64)
    B = kernels.draw_multinomial_model(W, y, 2, draw, proper=False)
    score = W.T @ (y - expit(W @ B[:, 1])) - np.append(0.0, kernels.RIDGE * B[1:, 1])
    assert np.abs(score).max() < 0.05


def test_many_classes_are_fitted_one_by_one(monkeypatch):
    W = design(6000)
    draw = np.random.default_rng(6)
    eta = np.column_stack([np.zeros(6000), *(W @ draw.normal(size=4) for _ in range(3))])
    y = np.argmax(eta + draw.gumbel(size=eta.shape), axis=1)
    together = kernels.draw_multinomial_model(W, y, 4, draw, proper=False)
    monkeypatch.setattr(kernels, "_MOST_JOINT", 5)
    apart = kernels.draw_multinomial_model(W, y, 4, draw, proper=False)
    assert 0 < np.abs(together - apart).max() < 0.25


def test_separated_classes_stay_finite():
    W = design(200)
    y = (W[:, 1] > 0).astype(np.int64)
    B = kernels.draw_multinomial_model(W, y, 2, np.random.default_rng(0), proper=True)
    assert np.isfinite(B).all()
    assert (kernels.draw_multinomial(W @ B, np.random.default_rng(1).random(len(W))) == y).mean() > 0.9


def test_cumulative_logits_find_their_thresholds():
    W = design(20_000)
    draw = np.random.default_rng(4)
    latent = W[:, 1:] @ [1.0, -0.5, 0.0] + draw.logistic(size=20_000)
    y = np.digitize(latent, [-1.0, 0.5, 2.0])
    model = synth_ordinal.draw_ordinal_model(W, y, 4, draw, proper=False)
    assert model.thresholds == pytest.approx([-1.0, 0.5, 2.0], abs=0.08)
    assert model.coefficients == pytest.approx([0.0, 1.0, -0.5, 0.0], abs=0.06)
    drawn = synth_ordinal.draw_ordinal(W @ model.coefficients, model.thresholds, draw.random(len(W)))
    assert np.abs(np.bincount(drawn) - np.bincount(y)).max() < 350
    spread = np.array(
        [synth_ordinal.draw_ordinal_model(W[:900], y[:900], 4, draw, proper=True).coefficients[1] for _ in range(150)]
    )
    # the information of a cumulative logit with four classes is a little below that of the latent logistic, n / 3
    assert spread.std() == pytest.approx(np.sqrt(3 / 900) * 1.1, rel=0.3)


def test_counts_are_poisson_or_wider():
    W = design(6000)
    draw = np.random.default_rng(5)
    m = np.exp(W @ [1.0, 0.4, 0.0, -0.3])
    plain = kernels.draw_count_model(W, draw.poisson(m).astype(float), draw, proper=False)
    assert plain.coefficients == pytest.approx([1.0, 0.4, 0.0, -0.3], abs=0.05)
    assert plain.dispersion < 0.03
    wide = kernels.draw_count_model(
        W, draw.poisson(m * draw.gamma(2.0, 0.5, size=6000)).astype(float), draw, proper=True
    )
    assert wide.dispersion == pytest.approx(0.5, rel=0.25)
    assert kernels.count_means(W @ wide.coefficients).mean() == pytest.approx(m.mean(), rel=0.05)
