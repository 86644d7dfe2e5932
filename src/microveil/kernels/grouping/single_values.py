"""Optimal grouping of single values into consecutive groups of at least k."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.kernels.grouping.cuts import optimal_cuts


def optimal_groups(x: Floats, k: int) -> Ints:
    """Group of each value so that the within-group sum of squares is least among all groups of k and more.

    Groups are consecutive in the sorted values and hold k to 2k - 1 of them; numbered in that order.
    Needs k values. Reference: Hansen & Mukherjee 2003.
    """
    order = np.argsort(x, kind="stable")
    labels = np.empty(len(x), dtype=np.int64)
    path = np.ascontiguousarray(x[order][:, None])
    labels[order] = optimal_cuts(path, k, np.ones(len(x), dtype=np.bool_))
    return labels
