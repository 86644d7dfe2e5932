"""Correlation matrices that survive constant columns."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Ints, Matrix


def correlation_of(covariance: Matrix) -> Matrix:
    """The correlation matrix of a covariance matrix; 0 for pairs with a constant column."""
    d = np.sqrt(np.diag(covariance))
    per_d = np.divide(1.0, d, out=np.zeros(len(d)), where=d > 0)
    R = np.clip(covariance * per_d[:, None] * per_d, -1.0, 1.0)
    np.fill_diagonal(R, np.where(d > 0, 1.0, 0.0))
    return R


def pairs_of(usable: Bools) -> tuple[Ints, Ints]:
    """Row and column numbers i < j of the pairs of usable columns."""
    rows, columns = np.triu_indices(len(usable), 1)
    keep = usable[rows] & usable[columns]
    return rows[keep], columns[keep]
