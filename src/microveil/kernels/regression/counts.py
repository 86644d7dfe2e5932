"""Quantiles of Poisson distributions, each number by itself."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats

_NORMAL_FROM = 1e6  # means from which on the normal distribution with a term for skewness is as near as doubles tell


def poisson_quantiles(u: Floats, means: Floats) -> Floats:
    """The least count whose probability, with that of all smaller ones, is at least u.

    >>> poisson_quantiles(np.array([0.1, 0.5, 0.9, 0.5]), np.array([2.0, 2.0, 2.0, 0.0])).tolist()
    [0.0, 2.0, 4.0, 0.0]
    """
    from scipy.special import ndtri, pdtr, pdtrik

    some = u > np.exp(-means)
    found = np.zeros(len(u))
    large = some & (means >= _NORMAL_FROM)
    z = ndtri(u[large])
    # Cornish & Fisher 1938
    found[large] = np.maximum(np.rint(means[large] + np.sqrt(means[large]) * z + (z * z - 1) / 6), 0.0)
    small = some & ~large
    p, m = u[small], means[small]
    count = np.maximum(np.ceil(pdtrik(p, m)), 1.0)
    # the root is found up to its last digits
    found[small] = np.where(pdtr(count - 1, m) >= p, count - 1, count)
    return found
