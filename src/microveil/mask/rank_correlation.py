"""Correlations of normal variables from those of ranks."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Matrix


def normal_correlation(rho: Matrix) -> Matrix:
    """Correlations 2 sin(pi rho / 6) of normal variables whose ranks have these correlations."""
    R = 2 * np.sin(np.pi / 6 * rho)
    np.fill_diagonal(R, np.where(np.diag(rho) > 0, 1.0, 0.0))
    return nearest_covariance(R)


def nearest_covariance(R: Matrix) -> Matrix:
    """R without negative eigenvalues, its diagonal kept."""
    from microveil.kernels.fixed.products import times
    from microveil.kernels.fixed.small import eigh

    w, U = eigh((R + R.T) / 2)
    if w[0] >= 0:
        return np.asarray((R + R.T) / 2)
    fixed = times(U * np.clip(w, 0.0, None), U.T)
    d = np.sqrt(np.divide(np.diag(R).clip(0), np.diag(fixed), out=np.zeros(len(R)), where=np.diag(fixed) > 1e-14))
    return np.asarray(fixed * np.outer(d, d))
