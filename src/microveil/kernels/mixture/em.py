"""Gaussian and t mixtures by the EM algorithm, with a floor under the weights of the components."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.kernels.mixture.families import covariance_parameters, covariances_of
from microveil.kernels.mixture.passes import (
    log_densities,
    normalise_rows,
    tail_weights,
    weighted_means,
    weighted_scatters,
)
from microveil.kernels.mixture.tails import GAUSSIAN, best_degrees, tail_constants

TOLERANCE = 1e-5
_ITERATIONS = 1000
_COLLAPSED = 1e-6  # standard deviation given the other attributes, relative to the attribute's in the file


class Fit(NamedTuple):
    """A fitted mixture; `path` holds the log-likelihood after every iteration, `bic` is larger for better models."""

    family: str
    weights: Floats
    means: Floats
    covariances: Floats
    degrees: Floats
    bic: float
    path: tuple[float, ...]

    @property
    def groups(self) -> int:
        """The number of components."""
        return len(self.weights)


def floor_weights(weights: Floats, floor: float) -> Floats:
    """Weights of at least `floor` (k/n), their order and their sum of 1 kept.

    Reference: Oganian & Domingo-Ferrer 2017, equations 3 and 4.
    """
    G, lowest = len(weights), float(weights.min())
    if lowest >= floor:
        return weights
    if floor * G >= 1:
        raise BadInput(f"{G} components cannot all have a weight of at least {floor:g}; take fewer components")
    delta = (floor - lowest) / (1 - floor * G)
    return np.asarray((weights + delta) / (1 + G * delta))


def fit_mixture(
    X: Floats,
    labels: Ints,
    family: str,
    *,
    floor: float = 0.0,
    degrees: float | None = GAUSSIAN,
    tolerance: float = TOLERANCE,
    iterations: int = _ITERATIONS,
) -> Fit | None:
    """The mixture of a covariance family that EM reaches from a partition; None where a component collapses.

    `degrees` are the degrees of freedom of t components, infinite for normal ones, None to estimate them (Peel &
    McLachlan 2000). `floor` bounds the weights from below in every iteration. It stops when the log-likelihood changes
    by less than `tolerance` relative to itself.
    """
    z = _as_indicators(labels)
    G, (n, p) = z.shape[1], X.shape
    spread = X.std(axis=0)
    tails = np.full(G, 20.0 if degrees is None else degrees)
    u = np.ones_like(z)
    path: list[float] = []
    while True:
        fit = _maximised(X, z, u, tails, family, floor, spread)
        if fit is None:
            return None
        path.append(memberships_into(X, fit, z))
        np.exp(z, out=z)
        still = len(path) > 1 and abs(path[-1] - path[-2]) <= tolerance * (1.0 + abs(path[-1]))
        if still or len(path) == iterations:
            break
        if np.isfinite(tails).all():
            u = tail_weights(X, fit.means, _whitening(fit.covariances), tails)
            tails = best_degrees(z, u, tails, p) if degrees is None else tails
    free = covariance_parameters(family, G, p) + G * p + G - 1 + (G if degrees is None else 0)
    return fit._replace(bic=2 * path[-1] - free * float(np.log(n)), path=tuple(path))


def start_fit(X: Floats, labels: Ints, family: str, floor: float = 0.0) -> Fit | None:
    """The mixture of the groups of a partition, before any iteration; None where a group has no spread."""
    z = _as_indicators(labels)
    return _maximised(X, z, np.ones_like(z), np.full(z.shape[1], GAUSSIAN), family, floor, X.std(axis=0))


def log_memberships(X: Floats, fit: Fit) -> Floats:
    """The log of the probability of every component (column) for every record (row)."""
    out = np.empty((len(X), fit.groups))
    memberships_into(X, fit, out)
    return out


def memberships_into(X: Floats, fit: Fit, out: Floats) -> float:
    """Log memberships into `out`; returns the log-likelihood."""
    log_joint_into(X, densities_of(fit), out)
    return float(normalise_rows(out))


class Densities(NamedTuple):
    """What a mixture says of records one by one: worked out once, so that every record meets the same numbers."""

    means: Floats
    whiten: Floats  # inverse Cholesky factors of the covariances
    constants: Floats
    degrees: Floats


def densities_of(fit: Fit) -> Densities:
    """The densities of the components of a mixture, times their weights."""
    whiten = _whitening(fit.covariances)
    constants = np.log(fit.weights) + np.log(np.diagonal(whiten, axis1=1, axis2=2)).sum(axis=1)
    return Densities(fit.means, whiten, constants + tail_constants(fit.degrees, fit.means.shape[1]), fit.degrees)


def log_joint_into(X: Floats, densities: Densities, out: Floats) -> None:
    """The log of weight times density of every component (column) for every record (row), into `out`.

    What is said of a record does not depend on those beside it.
    """
    log_densities(X, densities.means, densities.whiten, densities.constants, densities.degrees, out)


def _as_indicators(labels: Ints) -> Floats:
    return np.asarray(labels[:, None] == np.arange(int(labels.max()) + 1), dtype=np.float64)


def _maximised(X: Floats, z: Floats, u: Floats, tails: Floats, family: str, floor: float, spread: Floats) -> Fit | None:
    counts = z.sum(axis=0)
    if (counts <= 0).any():
        return None
    heavy = z * u
    _, means = weighted_means(X, heavy)
    scatters = weighted_scatters(X, heavy, means)
    covariances = covariances_of(family, scatters, counts)
    if _collapsed(covariances, spread) or ("V" in family[:2] and _point(scatters, counts, spread)):
        return None
    weights = floor_weights(counts / counts.sum(), floor)
    return Fit(family, weights, means, np.ascontiguousarray(covariances), tails, np.nan, ())


def _collapsed(covariances: Floats, spread: Floats) -> bool:
    """Whether some component has no spread left in some direction: its likelihood is unbounded."""
    scaled = covariances / np.outer(spread, spread)
    if not np.isfinite(scaled).all():
        return True
    try:
        roots = np.diagonal(np.linalg.cholesky(scaled), axis1=1, axis2=2)
        np.linalg.cholesky(covariances)  # as `_whitening` takes them: rounding may end there what passes on one scale
    except np.linalg.LinAlgError:
        return True
    return bool(roots.min() < _COLLAPSED)


def _point(scatters: Floats, counts: Floats, spread: Floats) -> bool:
    """Whether some component has no spread at all: its own shape would be one of rounding errors."""
    variances = np.diagonal(scatters, axis1=1, axis2=2) / counts[:, None] / spread**2
    return bool(variances.max(axis=1).min() < _COLLAPSED**2)


def _whitening(covariances: Floats) -> Floats:
    return np.ascontiguousarray(np.linalg.inv(np.linalg.cholesky(covariances)))
