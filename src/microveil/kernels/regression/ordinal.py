"""The cumulative logit model of ordered classes, with draws of its parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from microveil.core.arrays import Floats, Ints
from microveil.kernels.regression.models import RIDGE, maximise, weighted_gram


class OrdinalModel(NamedTuple):
    """Cumulative logit: P(y <= k) = logistic(thresholds[k] - W beta)."""

    thresholds: Floats
    coefficients: Floats


def draw_ordinal_model(W: Floats, y: Ints, classes: int, generator: np.random.Generator, proper: bool) -> OrdinalModel:
    """The cumulative logit model (McCullagh 1980) of ordered classes, each of which occurs; W without intercept counts.

    Thresholds are kept in order by their logarithmic gaps.
    """
    X = W[:, 1:]
    cuts, q = classes - 1, X.shape[1]
    penalty = np.append(np.zeros(cuts), np.full(q, RIDGE))
    upper, lower = np.minimum(y, cuts - 1), np.maximum(y - 1, 0)
    first, last = y == 0, y == cuts

    def evaluate(b: Floats) -> tuple[float, Floats, Floats]:
        theta, jacobian = _thresholds(b[:cuts])
        eta = X @ b[cuts:]
        high, low = expit(theta[upper] - eta), expit(theta[lower] - eta)
        high[last], low[first] = 1.0, 0.0
        p = np.maximum(high - low, 1e-300)
        dh, dl = high * (1 - high), low * (1 - low)
        # derivative of each record's log-likelihood by eta, and by its upper and lower threshold
        at_upper, at_lower = dh / p, -dl / p
        slope = -(at_upper + at_lower)
        gradient_theta = np.bincount(upper, at_upper, cuts) + np.bincount(lower, at_lower, cuts)
        gradient = np.concatenate([jacobian.T @ gradient_theta, X.T @ slope]) - penalty * b
        # Fisher scoring: the outer products' expectation is positive definite where the observed one may not be
        hessian = _ordinal_information(theta, eta, X, jacobian, cuts, q) + np.diag(penalty)
        return float(np.log(p).sum()) - float(penalty @ (b * b)) / 2, gradient, hessian

    share = np.cumsum(np.bincount(y, minlength=classes))[:-1] / len(y)
    theta = np.log(share / (1 - share))
    start = np.concatenate([theta[:1], np.log(np.diff(theta)), np.zeros(q)])
    b = maximise(evaluate, start, len(y), generator, proper)
    return OrdinalModel(_thresholds(b[:cuts])[0], np.append(0.0, b[cuts:]))


def draw_ordinal(eta: Floats, thresholds: Floats, u: Floats) -> Ints:
    """An ordered class for each record: a logistic draw about `eta`, by a uniform number, cut at the thresholds."""
    latent = eta + np.log(u / (1 - u))
    return np.asarray(np.searchsorted(thresholds, latent, side="left"), dtype=np.int64)


def _thresholds(t: Floats) -> tuple[Floats, Floats]:
    """Increasing thresholds from the first and the logarithms of the gaps, with derivatives."""
    gaps = np.exp(np.clip(t[1:], -30, 30))
    theta = t[0] + np.concatenate([[0.0], np.cumsum(gaps)])
    jacobian = np.zeros((len(t), len(t)))
    jacobian[:, 0] = 1.0
    for k in range(1, len(t)):
        jacobian[k:, k] = gaps[k - 1]
    return theta, jacobian


def _ordinal_information(theta: Floats, eta: Floats, X: Floats, jacobian: Floats, cuts: int, q: int) -> Floats:
    """Expected information for (threshold parameters, slopes), over all classes a record could have."""
    cumulated = expit(theta[None, :] - eta[:, None])
    density = cumulated * (1 - cumulated)
    p = np.diff(np.column_stack([np.zeros(len(eta)), cumulated, np.ones(len(eta))]), axis=1)
    p = np.maximum(p, 1e-12)
    out = np.zeros((cuts + q, cuts + q))
    weight = np.zeros(len(eta))
    cross = np.zeros((len(eta), cuts))
    top = np.zeros((cuts, cuts))
    for k in range(cuts + 1):
        g = np.zeros((len(eta), 2))  # derivatives of p_k by its upper and lower threshold
        where = []
        if k < cuts:
            g[:, 0] = density[:, k]
            where.append((k, 0))
        if k > 0:
            g[:, 1] = -density[:, k - 1]
            where.append((k - 1, 1))
        slope = -(g[:, 0] + g[:, 1])
        weight += slope * slope / p[:, k]
        for a, column in where:
            cross[:, a] += g[:, column] * slope / p[:, k]
            for b, other in where:
                top[a, b] += float((g[:, column] * g[:, other] / p[:, k]).sum())
    out[:cuts, :cuts] = jacobian.T @ top @ jacobian
    out[:cuts, cuts:] = jacobian.T @ (cross.T @ X)
    out[cuts:, :cuts] = out[:cuts, cuts:].T
    out[cuts:, cuts:] = weighted_gram(X, weight)
    return out
