"""Moments of columns that may have gaps."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.errors import NotEnoughRecords


def observed_scale(x: Matrix, who: str) -> float:
    """The standard deviation (divisor n - 1) of a column without gaps; exactly 0 for a constant one."""
    from microveil.kernels.moments.central import standard_deviations

    if len(x) == 0:
        return 0.0
    if len(x) < 2:
        raise NotEnoughRecords(f"{who} needs at least 2 records to know the spread of a column: {len(x)} given")
    return float(standard_deviations(x[:, None])[0])


def centre_and_covariance(X: Matrix, who: str) -> tuple[Matrix, Matrix]:
    """Mean and covariance (divisor n); with gaps, correlations of the complete records on the observed scales."""
    from microveil.kernels.linalg.bases import correlation_scale
    from microveil.kernels.moments.central import mean_and_covariance

    if len(X) < 2:
        raise NotEnoughRecords(f"{who} needs at least 2 records to know how columns vary: {len(X)} given")
    observed = ~np.isnan(X)
    if observed.all():
        return mean_and_covariance(X)
    complete = X[observed.all(axis=1)]
    if len(complete) < 2:
        raise NotEnoughRecords(
            f"{who} takes correlations from complete records and needs at least 2 of them: {len(complete)} given"
        )
    _, correlation = correlation_scale(mean_and_covariance(complete)[1])
    mean, deviation = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        column = X[observed[:, j], j]
        middle, variance = mean_and_covariance(column[:, None])
        mean[j], deviation[j] = middle.item(), np.sqrt(variance.item())
    return mean, correlation * np.outer(deviation, deviation)
