"""Noise that is exactly orthogonal to given columns and has an exact covariance."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.streams import Streams
from microveil.kernels.fixed.products import times
from microveil.kernels.linalg.bases import factor, orthonormal_basis, orthonormalise, project_off

_CONSTANT_TOLERANCE = 1e-8


def exact_noise(W: Floats, Sigma: Floats, streams: Streams) -> Floats:
    """Noise E (n x p) with W'E = 0 and E'E/n = Sigma up to rounding.

    W must span the constant, so that the noise has mean 0. Use it to add noise that leaves means and
    covariances as prescribed, and the relations to the columns of W at zero. Sigma may be singular.
    """
    n = len(W)
    Q, F = orthonormal_basis(W), factor(Sigma)
    rank, kept = len(F), Q.shape[1]
    if n - kept < rank:
        raise NotEnoughRecords(
            f"exact noise needs at least {kept + rank} records ({kept} independent columns to stay orthogonal to"
            f" + rank {rank} of the covariance): {n} given"
        )
    ones = np.full((n, 1), 1.0 / np.sqrt(n))
    if np.abs(project_off(ones, Q)).max(initial=0.0) > _CONSTANT_TOLERANCE / np.sqrt(n):
        raise BadInput("the columns W of exact noise do not span the constant; add a column of ones")
    G = streams.normals(0, n, rank)
    # a second round repairs what the first loses when hardly any room is left
    for _ in range(2 if n - kept < 2 * rank else 1):
        G = orthonormalise(project_off(G, Q))
    return times(G, np.sqrt(n) * F)
