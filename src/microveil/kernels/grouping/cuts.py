"""The best cut of an ordered file into consecutive groups of at least k.

Reference: Hansen & Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation, IEEE
Transactions on Knowledge and Data Engineering 15.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled


@compiled
def optimal_cuts(path: Floats, k: int, allowed: Bools) -> Ints:
    """The group of each record of a path so that the within-group sum of squares is least; groups are consecutive.

    `path` holds the records (rows) in their order, at least k; `allowed[i]` says whether a group may begin at record
    i. Groups have at least k records, and at most 2k - 1 where every cut is allowed: a longer group that can be cut
    in two never loses less.
    """
    n, d = path.shape
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    begin = np.zeros(n + 1, dtype=np.int64)
    mean = np.empty(d)
    last_allowed = 0  # the last cut that leaves k records up to j
    for j in range(k, n + 1):
        if allowed[j - k]:
            last_allowed = j - k
        if j < n and not allowed[j]:
            continue
        mean[:] = 0.0
        within = 0.0
        # a group from before last_allowed - k + 1 on can be cut at last_allowed: no need to look at it
        for i in range(j - 1, max(0, last_allowed - k + 1) - 1, -1):
            size = j - i
            for c in range(d):
                t = path[i, c] - mean[c]
                mean[c] += t / size
                within += t * (path[i, c] - mean[c])
            if size >= k and cost[i] + within < cost[j]:
                cost[j] = cost[i] + within
                begin[j] = i
    return _labels(begin)


@compiled
def _labels(begin: Ints) -> Ints:
    """Groups numbered along the path, from where the group that ends at each place begins."""
    labels = np.empty(begin.shape[0] - 1, dtype=np.int64)
    groups = 0
    j = labels.shape[0]
    while j > 0:
        j = begin[j]
        groups += 1
    j = labels.shape[0]
    while j > 0:
        groups -= 1
        labels[begin[j] : j] = groups
        j = begin[j]
    return labels


@compiled
def consecutive(n: int, k: int) -> Ints:
    """Groups of k in order; what is left over joins the last one."""
    return np.minimum(np.arange(n) // k, max(0, n // k - 1))


@compiled
def tie_boundaries(x: Floats) -> Bools:
    """Where sorted values may be cut so that equal ones stay together."""
    allowed = np.ones(x.shape[0], dtype=np.bool_)
    for i in range(1, x.shape[0]):
        allowed[i] = x[i] != x[i - 1]
    return allowed
