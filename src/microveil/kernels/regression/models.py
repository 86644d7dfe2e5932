"""Regression models with draws of their parameters: normal, multinomial, count.

Designs W have their intercept first and the other columns on a common scale. Parameters are drawn from their
approximate posterior: the likelihood's normal approximation about its maximum, for the normal model exactly
(Rubin 1987, Multiple imputation for nonresponse in surveys).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular
from scipy.special import gammaln

from microveil.core.arrays import Floats, Ints
from microveil.kernels.moments.central import row_blocks

RIDGE = 1.0  # a weak prior on standardised coefficients: keeps separated and rare categories finite
_LOST = 1e-10
_MOST_STEPS = 50
_MOST_JOINT = 600  # parameters of a multinomial model that are fitted together
_CONVERGED = 1e-8  # Newton decrement per record
_LARGE, _PART = 10_000, 8  # from so many records on, one in so many gives the starting point
_LARGEST_ETA = 30.0  # of a log-linear predictor

Newton = Callable[[Floats], tuple[float, Floats, Floats]]


class NormalModel(NamedTuple):
    """Coefficients and residual standard deviation."""

    coefficients: Floats
    deviation: float


def draw_normal_model(W: Floats, y: Floats, generator: np.random.Generator, proper: bool) -> NormalModel:
    """The linear model of y, with parameters drawn from their posterior if `proper`.

    sigma^2 = RSS / chi^2(n - q), beta = estimate + sigma (W'W)^-1/2 z. Columns that depend on others are used through
    the directions that W has. The root is the symmetric one: it does not depend on the signs of eigenvectors, nor on
    how they are chosen where eigenvalues are equal, which linear algebra settles otherwise on other processors.
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
    return NormalModel(estimate + sigma * (U @ (roots * (U.T @ generator.standard_normal(len(values))))), sigma)


def draw_multinomial_model(W: Floats, y: Ints, classes: int, generator: np.random.Generator, proper: bool) -> Floats:
    """Coefficients (q x classes) of the multinomial logit; those of the first class are 0. Two classes: logistic."""
    q, free = W.shape[1], classes - 1
    if free > 1 and free * q > _MOST_JOINT:
        return _one_by_one(W, y, classes, generator, proper)
    penalty = np.tile(np.append(0.0, np.full(q - 1, RIDGE)), free)

    def evaluate(b: Floats) -> tuple[float, Floats, Floats]:
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
    b = maximise(evaluate, start.ravel(), len(y), generator, proper)
    return np.column_stack([np.zeros(q), b.reshape(free, q).T])


def _one_by_one(W: Floats, y: Ints, classes: int, generator: np.random.Generator, proper: bool) -> Floats:
    """Each class against the first by a logistic model of its own: consistent, and much cheaper for many classes.

    Reference: Begg & Gray 1984, Calculation of polychotomous logistic regression parameters using individualized
    regressions.
    """
    out = np.zeros((W.shape[1], classes))
    for k in range(1, classes):
        pair = (y == 0) | (y == k)
        against = (y[pair] == k).astype(np.int64)
        out[:, k] = draw_multinomial_model(W[pair], against, 2, generator, proper)[:, 1]
    return out


def _add_multinomial(W: Floats, y: Ints, B: Floats, gradient: Floats, hessian: Floats) -> float:
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


def draw_multinomial(eta: Floats, u: Floats) -> Ints:
    """A class for each record: `eta` has the logarithms of their odds, `u` a uniform number for each record."""
    p = np.exp(eta - eta.max(axis=1, keepdims=True))
    edges = np.cumsum(p, axis=1)
    return np.asarray(((u * edges[:, -1])[:, None] >= edges[:, :-1]).sum(axis=1), dtype=np.int64)


class CountModel(NamedTuple):
    """Log-linear mean; `dispersion` a of the negative binomial with variance m + a m^2, 0 for Poisson."""

    coefficients: Floats
    dispersion: float


def draw_count_model(W: Floats, y: Floats, generator: np.random.Generator, proper: bool) -> CountModel:
    """Poisson regression of counts; negative binomial where they vary more than Poisson's."""
    q = W.shape[1]
    penalty = np.append(0.0, np.full(q - 1, RIDGE))

    def evaluate(b: Floats) -> tuple[float, Floats, Floats]:
        eta = np.minimum(W @ b, _LARGEST_ETA)
        m = np.exp(eta)
        likelihood = float(y @ eta - m.sum() - gammaln(y + 1).sum()) - float(penalty @ (b * b)) / 2
        return likelihood, W.T @ (y - m) - penalty * b, weighted_gram(W, m) + np.diag(penalty)

    start = np.zeros(q)
    start[0] = np.log(max(float(y.mean()), 1e-6))
    b = maximise(evaluate, start, len(y), generator, proper=False)
    m = count_means(W @ b)
    # moment estimate: E[(y - m)^2 - m] = a m^2
    dispersion = max(float(((y - m) ** 2 - m).sum() / max(float((m * m).sum()), 1e-300)), 0.0)
    if proper:
        information = weighted_gram(W, m / (1 + dispersion * m)) + np.diag(penalty)
        b = b + _spread(information, generator)
    return CountModel(b, dispersion)


def count_means(eta: Floats) -> Floats:
    """Means of counts from their logarithms."""
    return np.asarray(np.exp(np.minimum(eta, _LARGEST_ETA)))


def weighted_gram(W: Floats, weights: Floats) -> Floats:
    """W' diag(weights) W in blocks of rows."""
    out = np.zeros((W.shape[1], W.shape[1]))
    for rows in row_blocks(W):
        out += (W[rows] * weights[rows, None]).T @ W[rows]
    return out


def maximise(evaluate: Newton, b: Floats, n: int, generator: np.random.Generator, proper: bool) -> Floats:
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


def _solved(hessian: Floats, gradient: Floats) -> Floats:
    try:
        return np.asarray(cho_solve(cho_factor(hessian, check_finite=False), gradient, check_finite=False))
    except LinAlgError:
        values, U = np.linalg.eigh(hessian)
        kept = values > _LOST * values[-1]
        return np.asarray(U[:, kept] @ ((U[:, kept].T @ gradient) / values[kept]))


def _spread(information: Floats, generator: np.random.Generator) -> Floats:
    """A normal draw whose covariance is the inverse information."""
    z = generator.standard_normal(len(information))
    try:
        root = cholesky(information, check_finite=False)
        return np.asarray(solve_triangular(root, z, check_finite=False))
    except LinAlgError:
        values, U = np.linalg.eigh(information)
        kept = values > _LOST * values[-1]
        return np.asarray(U[:, kept] @ (z[kept] / np.sqrt(values[kept])))
