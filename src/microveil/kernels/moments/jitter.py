"""Errors for the statistics of groups, so that they do not give a last unknown member away; stacks of groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Bool = NDArray[np.bool_]


def fitted_shift(scaled: Float, kept: Float, jitter: float, generator: np.random.Generator) -> Float:
    """What is added to the fitted values of each group.

    Coefficients on an orthonormal basis of the constant and S get normal errors of standard deviation
    jitter * sqrt(h), h the largest leverage in the group: then no record, whatever its own leverage, is better known
    from all of them together than up to `jitter`. Without S, h = 1/n and the mean moves by jitter/n. Errors of
    columns correlate as the columns do, which keeps linear relations.
    """
    m, n = scaled.shape[:2]
    leverage = 1.0 / n + np.sum(kept**2, axis=2).max(axis=1)
    noise = generator.standard_normal((m, 1 + kept.shape[2], n))
    errors = jitter * np.sqrt(leverage / n)[:, None, None] * (noise @ scaled)
    return np.asarray(errors[:, :1] / np.sqrt(n) + kept @ errors[:, 1:])


def stretch(residual: Float, carries: Bool, jitter: float, generator: np.random.Generator) -> Float:
    """Symmetric matrices H by which residuals R = U s V' become U s (1 + H) V'.

    Their law does not depend on the basis, so that every residual sum of squares q moves by a standard deviation of
    at least 2 q jitter z / n, z the largest standardised residual of the group: solved for a record with residual r,
    whose square is a part of q, this is an error of at least `jitter` residual standard deviations.
    """
    m, n = residual.shape[0], residual.shape[1]
    spread = np.sqrt(np.mean(residual**2, axis=1))
    largest = np.divide(np.abs(residual).max(axis=1), spread, out=np.zeros_like(spread), where=spread > 0).max(axis=1)
    G = generator.standard_normal((m, carries.shape[1], carries.shape[1]))
    H = (G + G.transpose(0, 2, 1)) / 2 * (jitter * largest / n)[:, None, None]
    return np.asarray(H * (carries[:, :, None] & carries[:, None, :]))
