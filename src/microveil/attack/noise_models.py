"""What is known of noise from the method alone: its covariance follows from p and the released values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from microveil.core.arrays import Floats, Matrix
from microveil.kernels.moments.central import mean_and_covariance
from microveil.mask.correlated_noise import CorrelatedNoise
from microveil.mask.exact_noise import ExactNoise
from microveil.mask.kim_noise import KimNoise
from microveil.mask.sullivan_noise import SullivanNoise
from microveil.mask.uncorrelated_noise import UncorrelatedNoise
from microveil.run.contract import MethodContract


class NoiseModel(NamedTuple):
    """Known and released values on a scale on which a released record is the original plus noise of this covariance."""

    known: Matrix
    released: Matrix
    covariance: Matrix


def noise_model(method: MethodContract, known: Matrix, released: Matrix) -> NoiseModel | None:
    """The noise of a method, from its parameters and the released values of some columns; None for other methods."""
    if isinstance(method, CorrelatedNoise | UncorrelatedNoise):
        # released variances are 1 + p^2 times the original's
        V = covariance_of(released) * (method.p**2 / (1 + method.p**2))
        return NoiseModel(known, released, V if isinstance(method, CorrelatedNoise) else np.diag(np.diag(V)))
    if isinstance(method, KimNoise | ExactNoise):
        return _shrunk(known, released, method.p)
    if isinstance(method, SullivanNoise):
        scores = [_scores(known[:, j], released[:, j]) for j in range(known.shape[1])]
        of_known, of_released = (np.column_stack(side) for side in zip(*scores, strict=True))
        return _shrunk(of_known, of_released, method.p)
    return None


def _shrunk(known: Matrix, released: Matrix, p: float) -> NoiseModel:
    """Noise that was shrunk towards the mean, which keeps variances: who knows p undoes that."""
    mean = np.nanmean(released, axis=0)
    return NoiseModel(known, mean + (released - mean) * np.sqrt(1 + p**2), covariance_of(released) * p**2)


def _scores(known: Floats, released: Floats) -> tuple[Floats, Floats]:
    """Normal scores of known and released values among the released ones, whose distribution is the original's."""
    values = np.sort(released[~np.isnan(released)])
    found = []
    for x in (known, released):
        ranks = (np.searchsorted(values, x, "left") + np.searchsorted(values, x, "right")) / 2
        inside = np.clip(ranks / len(values), 0.5 / len(values), 1 - 0.5 / len(values))
        found.append(np.where(np.isnan(x), np.nan, ndtri(inside)))
    return found[0], found[1]


def covariance_of(released: Matrix) -> Matrix:
    """The covariance of the records without gaps."""
    complete = released[~np.isnan(released).any(axis=1)]
    if len(complete) < 2:
        # too few complete records tell no covariance: each column by itself, and one without values says nothing
        shown = ~np.isnan(released).all(axis=0)
        variances = np.zeros(released.shape[1])
        variances[shown] = np.nanvar(released[:, shown], axis=0)
        return np.diag(variances)
    return mean_and_covariance(complete)[1]
