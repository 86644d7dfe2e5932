"""Tails of mixture components: the multivariate t distribution beside the normal one."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

from microveil.core.arrays import Floats

GAUSSIAN = float("inf")
_FEWEST, _MOST = 1.0, 200.0  # degrees of freedom: a Cauchy distribution, and one that is normal to the eye


def tail_constants(degrees: Floats, columns: int) -> Floats:
    """The log of the density at the centre for a covariance (scale) matrix of determinant 1."""
    normal = np.full(len(degrees), -0.5 * columns * np.log(2 * np.pi))
    finite = np.isfinite(degrees)
    nu = degrees[finite]
    normal[finite] = gammaln((nu + columns) / 2) - gammaln(nu / 2) - 0.5 * columns * np.log(nu * np.pi)
    return normal


def best_degrees(z: Floats, u: Floats, degrees: Floats, columns: int) -> Floats:
    """The degrees of freedom that maximise the expected log-likelihood, component by component."""
    averages = (z * (np.log(u) - u)).sum(axis=0) / z.sum(axis=0)
    half = (degrees + columns) / 2
    targets = 1.0 + averages + digamma(half) - np.log(half)

    def slope(nu: float, target: float) -> float:
        return float(np.log(nu / 2) - digamma(nu / 2) + target)

    return np.array([
        _MOST if slope(_MOST, t) >= 0 else _FEWEST if slope(_FEWEST, t) <= 0 else brentq(slope, _FEWEST, _MOST, (t,))
        for t in targets.tolist()
    ])  # fmt: skip
