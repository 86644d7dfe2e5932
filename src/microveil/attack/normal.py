"""Means and covariances of files with gaps, and gaps filled with what the other columns let one expect."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.kernels.tables.classes import group_rows

_NOTHING = 1e-12  # of the largest eigenvalue: less is rounding


def observed_moments(Y: Floats) -> tuple[Floats, Floats]:
    """Means of observed cells, and a covariance (divisor n - 1) over the pairs of cells that are both observed."""
    seen = ~np.isnan(Y)
    count = np.maximum(seen.sum(axis=0), 1)
    mean = np.where(seen, Y, 0.0).sum(axis=0) / count
    centred = np.where(seen, Y - mean, 0.0)
    pairs = seen.T.astype(np.float64) @ seen
    covariance = centred.T @ centred / np.maximum(pairs - 1, 1)
    if seen.all():
        return mean, covariance
    values, vectors = np.linalg.eigh(covariance)  # of pairs with gaps some may be negative
    return mean, (vectors * np.maximum(values, 0.0)) @ vectors.T


def fill_gaps(X: Floats, mean: Floats, covariance: Floats) -> Floats:
    """X with each gap filled by its expectation given the observed cells of the record."""
    gaps = np.isnan(X)
    if not gaps.any():
        return X
    out = X.copy()
    labels = group_rows(gaps.astype(np.int64))[0]
    for label in np.unique(labels[gaps.any(axis=1)]):
        rows = np.flatnonzero(labels == label)
        lost = gaps[rows[0]]
        weights = np.linalg.pinv(covariance[np.ix_(~lost, ~lost)], rcond=_NOTHING, hermitian=True)
        moved = (X[np.ix_(rows, ~lost)] - mean[~lost]) @ weights @ covariance[np.ix_(~lost, lost)]
        out[np.ix_(rows, lost)] = mean[lost] + moved
    return out
