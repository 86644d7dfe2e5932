"""The covariance of what was done to values, learnt from the two files alone."""

from __future__ import annotations

import numpy as np

from microveil.attack.linking import nearest_points, whitening
from microveil.core.arrays import Ints, Matrix
from microveil.core.streams import Key, Streams
from microveil.kernels.moments.central import mean_and_covariance

LEAST_NOISE = 1e-6  # share of a variance that counts as noise at least
_ROUNDS = 5
_MOST = 2_000  # sought records from which it is learnt
_WIDER = (1.0, 1.25, 1.5, 2.0)  # times a covariance that was learnt; beyond, most nearest records are others'
_ENOUGH = 0.95  # share of what was learnt that wider noise must lead to
UNKNOWN = 1e12  # so much wider that no record is likelier than another


def learn_covariance(known: Matrix, released: Matrix) -> Matrix:
    """The second moments of differences between records that are one another's nearest, found anew some times.

    The first distances are by the covariance of the released values, a small share of which is kept: where nothing was
    changed, differences say nothing of how to compare, and values say all. Rows with gaps are left out.
    """
    X, Y = (Z[~np.isnan(Z).any(axis=1)] for Z in (known, released))
    X = X[:_MOST]  # their order carries nothing
    of_values = mean_and_covariance(Y)[1]
    covariance = of_values
    for _ in range(_ROUNDS):
        W = whitening(covariance)
        x, y = _mutual(X @ W, Y @ W)
        if len(x) <= 2 * X.shape[1]:
            break
        differences = X[x] - Y[y]
        covariance = differences.T @ differences / len(x) + LEAST_NOISE * of_values
    return np.asarray(covariance)


def how_much_wider(known: Matrix, released: Matrix, learnt: Matrix) -> float:
    """By how much true changes are wider than those learnt between nearest records; a large number where nobody can
    tell.

    Nearest records are too near where many of them are not the same person's. So the intruder adds noise of the learnt
    covariance, and wider, to the known values, until as much is learnt from the noise as from the release.
    """
    X = known[~np.isnan(known).any(axis=1)][:_MOST]  # their order carries nothing
    if not X.shape[1] or len(X) <= 2 * X.shape[1] or len(released) <= 2 * X.shape[1]:
        return UNKNOWN
    W = whitening(learnt)
    noise = Streams(Key.of(0)).at("noise of an intruder").normals(0, len(X), W.shape[1]) @ np.linalg.pinv(W)
    for wider in _WIDER:
        again = learn_covariance(X, X + np.sqrt(wider) * noise)
        if np.trace(W.T @ again @ W) >= _ENOUGH * W.shape[1]:
            return wider
    return UNKNOWN


def _mutual(A: Matrix, B: Matrix) -> tuple[Ints, Ints]:
    """The rows of A and of B that are one another's nearest."""
    if not len(A) or not len(B) or not A.shape[1]:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    there = nearest_points(A, B, 1)[0][:, 0]
    back = nearest_points(B[there], A, 1)[0][:, 0]
    x = np.flatnonzero(back == np.arange(len(A)))
    return x, there[x]
