"""Regression models with draws of their parameters: normal, multinomial, ordinal, count.

Designs W have their intercept first and the other columns on a common scale. Parameters are drawn from their
approximate posterior: the likelihood's normal approximation about its maximum, for the normal model exactly
(Rubin 1987, Multiple imputation for nonresponse in surveys).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular
from scipy.special import expit, gammaln

from microveil.kernels.moments import row_blocks

Float = NDArray[np.float64]
Int = NDArray[np.int64]

RIDGE = 1.0  # a weak prior on standardised coefficients: keeps separated and rare categories finite
_LOST = 1e-10
_MOST_STEPS = 50
_CONVERGED = 1e-8  # Newton decrement per record
_LARGE, _PART = 10_000, 8  # from so many records on, one in so many gives the starting point
_LARGEST_ETA = 30.0  # of a log-linear predictor

Newton = Callable[[Float], tuple[float, Float, Float]]


class NormalModel(NamedTuple):
    """Coefficients and residual standard deviation."""

    coefficients: Float
    deviation: float


def draw_normal_model(W: Float, y: Float, generator: np.random.Generator, proper: bool) -> NormalModel:
    """The linear model of y, with parameters drawn from their posterior if `proper`.

    sigma^2 = RSS / chi^2(n - q), beta = estimate + sigma (W'W)^-1/2 z. Columns that depend on others are used through
    the directions that W has.
    """
    n = len(y)
    values, vectors = np.linalg.eigh(W.T @ W)
    kept = values > _LOST * max(values[-1], 0.0)
    roots, U = 1.0 / np.sqrt(values[kept]), vectors[:, kept]
    estimate = U @ (roots**2 * (U.T @ (W.T @ y)))
    residual = y - W @ estimate
    rss = float(residual @ residual)
    freedom = max(n - int(kept.sum()), 1)
    if not proper:
        return NormalModel(estimate, float(np.sqrt(rss / freedom)))
    sigma = float(np.sqrt(rss / generator.chisquare(freedom)))
    return NormalModel(estimate + sigma * (U @ (roots * generator.standard_normal(len(roots)))), sigma)


def draw_multinomial_model(W: Float, y: Int, classes: int, generator: np.random.Generator, proper: bool) -> Float:
    """Coefficients (q x classes) of the multinomial logit; those of the first class are 0. Two classes: logistic."""
    q, free = W.shape[1], classes - 1
    penalty = np.tile(np.append(0.0, np.full(q - 1, RIDGE)), free)

    def evaluate(b: Float) -> tuple[float, Float, Float]:
        B = b.reshape(free, q)
        likelihood, gradient, hessian = 0.0, np.zeros((free, q)), np.diag(penalty)
        for rows in row_blocks(W):
            likelihood += _add_multinomial(W[rows], y[rows], B, gradient, hessian)
        return likelihood - float(penalty @ (b * b)) / 2, gradient.ravel() - penalty * b, hessian

    share = np.bincount(y, minlength=classes) / len(y)
    start = np.zeros((free, q))
    start[:, 0] = np.log(np.maximum(share[1:], 1e-12) / max(share[0], 1e-12))
    if len(y) > _LARGE:
        # most steps on a part of the records; the weak prior keeps classes that it lacks finite
        part = slice(None, None, _PART)
        start = draw_multinomial_model(W[part], y[part], classes, generator, proper=False)[:, 1:].T
    b = _maximised(evaluate, start.ravel(), len(y), generator, proper)
    return np.column_stack([np.zeros(q), b.reshape(free, q).T])


def _add_multinomial(W: Float, y: Int, B: Float, gradient: Float, hessian: Float) -> float:
    """Log-likelihood of some records; their gradient and information are added to the totals."""
    free, q = B.shape
    eta = W @ B.T
    top = np.maximum(eta.max(axis=1), 0.0)
    p = np.exp(eta - top[:, None])
    total = np.exp(-top) + p.sum(axis=1)
    p /= total[:, None]
    hit = np.equal.outer(y, np.arange(1, free + 1)).astype(np.float64)
    gradient += (hit - p).T @ W
    for k in range(free):
        for other in range(k, free):
            block = (W * (p[:, k] * ((k == other) - p[:, other]))[:, None]).T @ W
            hessian[k * q : (k + 1) * q, other * q : (other + 1) * q] += block
            if other > k:
                hessian[other * q : (other + 1) * q, k * q : (k + 1) * q] += block.T
    return float((hit * eta).sum() - (np.log(total) + top).sum())


def draw_multinomial(W: Float, coefficients: Float, generator: np.random.Generator) -> Int:
    """A class for each record."""
    eta = W @ coefficients
    p = np.exp(eta - eta.max(axis=1, keepdims=True))
    edges = np.cumsum(p, axis=1)
    u = generator.random(len(W)) * edges[:, -1]
    return np.asarray((u[:, None] >= edges[:, :-1]).sum(axis=1), dtype=np.int64)


class OrdinalModel(NamedTuple):
    """Cumulative logit: P(y <= k) = logistic(thresholds[k] - W beta)."""

    thresholds: Float
    coefficients: Float


def draw_ordinal_model(W: Float, y: Int, classes: int, generator: np.random.Generator, proper: bool) -> OrdinalModel:
    """The cumulative logit model (McCullagh 1980) of ordered classes, each of which occurs; W without intercept counts.

    Thresholds are kept in order by their logarithmic gaps.
    """
    X = W[:, 1:]
    cuts, q = classes - 1, X.shape[1]
    penalty = np.append(np.zeros(cuts), np.full(q, RIDGE))
    upper, lower = np.minimum(y, cuts - 1), np.maximum(y - 1, 0)
    first, last = y == 0, y == cuts

    def evaluate(b: Float) -> tuple[float, Float, Float]:
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
    b = _maximised(evaluate, start, len(y), generator, proper)
    return OrdinalModel(_thresholds(b[:cuts])[0], np.append(0.0, b[cuts:]))


def draw_ordinal(W: Float, model: OrdinalModel, generator: np.random.Generator) -> Int:
    """An ordered class for each record: a logistic draw about W beta, cut at the thresholds."""
    u = generator.random(len(W))
    latent = W @ model.coefficients + np.log(u / (1 - u))
    return np.asarray(np.searchsorted(model.thresholds, latent, side="left"), dtype=np.int64)


class CountModel(NamedTuple):
    """Log-linear mean; `dispersion` a of the negative binomial with variance m + a m^2, 0 for Poisson."""

    coefficients: Float
    dispersion: float


def draw_count_model(W: Float, y: Float, generator: np.random.Generator, proper: bool) -> CountModel:
    """Poisson regression of counts; negative binomial where they vary more than Poisson's."""
    q = W.shape[1]
    penalty = np.append(0.0, np.full(q - 1, RIDGE))

    def evaluate(b: Float) -> tuple[float, Float, Float]:
        eta = np.minimum(W @ b, _LARGEST_ETA)
        m = np.exp(eta)
        likelihood = float(y @ eta - m.sum() - gammaln(y + 1).sum()) - float(penalty @ (b * b)) / 2
        return likelihood, W.T @ (y - m) - penalty * b, weighted_gram(W, m) + np.diag(penalty)

    start = np.zeros(q)
    start[0] = np.log(max(float(y.mean()), 1e-6))
    b = _maximised(evaluate, start, len(y), generator, proper=False)
    m = np.exp(np.minimum(W @ b, _LARGEST_ETA))
    # moment estimate: E[(y - m)^2 - m] = a m^2
    dispersion = max(float(((y - m) ** 2 - m).sum() / max(float((m * m).sum()), 1e-300)), 0.0)
    if proper:
        information = weighted_gram(W, m / (1 + dispersion * m)) + np.diag(penalty)
        b = b + _spread(information, generator)
    return CountModel(b, dispersion)


def draw_counts(W: Float, model: CountModel, generator: np.random.Generator) -> Float:
    """A count for each record."""
    m = np.exp(np.minimum(W @ model.coefficients, _LARGEST_ETA))
    if model.dispersion > 1e-9:
        m = m * generator.gamma(1 / model.dispersion, model.dispersion, size=len(m))
    return generator.poisson(np.minimum(m, 1e15)).astype(np.float64)


def weighted_gram(W: Float, weights: Float) -> Float:
    """W' diag(weights) W in blocks of rows."""
    out = np.zeros((W.shape[1], W.shape[1]))
    for rows in row_blocks(W):
        out += (W[rows] * weights[rows, None]).T @ W[rows]
    return out


def _thresholds(t: Float) -> tuple[Float, Float]:
    """Increasing thresholds from the first and the logarithms of the gaps, with derivatives."""
    gaps = np.exp(np.clip(t[1:], -30, 30))
    theta = t[0] + np.concatenate([[0.0], np.cumsum(gaps)])
    jacobian = np.zeros((len(t), len(t)))
    jacobian[:, 0] = 1.0
    for k in range(1, len(t)):
        jacobian[k:, k] = gaps[k - 1]
    return theta, jacobian


def _ordinal_information(theta: Float, eta: Float, X: Float, jacobian: Float, cuts: int, q: int) -> Float:
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


def _maximised(evaluate: Newton, b: Float, n: int, generator: np.random.Generator, proper: bool) -> Float:
    """The maximum by damped Newton steps, and a draw about it if `proper`."""
    likelihood, gradient, hessian = evaluate(b)
    for _ in range(_MOST_STEPS):
        step = _solved(hessian, gradient)
        if float(gradient @ step) <= _CONVERGED * n:
            break
        length = 1.0
        tried = evaluate(b + step)
        while not tried[0] >= likelihood and length > 1e-6:
            length /= 2
            tried = evaluate(b + length * step)
        if not tried[0] >= likelihood:
            break
        b = b + length * step
        likelihood, gradient, hessian = tried
    return b + _spread(hessian, generator) if proper else b


def _solved(hessian: Float, gradient: Float) -> Float:
    try:
        return np.asarray(cho_solve(cho_factor(hessian, check_finite=False), gradient, check_finite=False))
    except LinAlgError:
        values, U = np.linalg.eigh(hessian)
        kept = values > _LOST * values[-1]
        return np.asarray(U[:, kept] @ ((U[:, kept].T @ gradient) / values[kept]))


def _spread(information: Float, generator: np.random.Generator) -> Float:
    """A normal draw whose covariance is the inverse information."""
    z = generator.standard_normal(len(information))
    try:
        root = cholesky(information, check_finite=False)
        return np.asarray(solve_triangular(root, z, check_finite=False))
    except LinAlgError:
        values, U = np.linalg.eigh(information)
        kept = values > _LOST * values[-1]
        return np.asarray(U[:, kept] @ (z[kept] / np.sqrt(values[kept])))
