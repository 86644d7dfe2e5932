"""One value per group and attribute: mean, weighted mean, lower median, or mean without the extremes."""

from __future__ import annotations

from typing import Literal

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.kernels.grouping.consensus import merge_small

Operator = Literal["mean", "weighted", "median", "trimmed"]


def aggregate_groups(X: Matrix, labels: Labels, operator: Operator = "mean", weights: Matrix | None = None) -> Matrix:
    """X with every observed cell replaced by the average of its group's observed cells; gaps stay.

    All members of a group get the same bits. `median` is the lower one, so that it occurs in the group;
    `trimmed` is the mean without the smallest and the largest where there are at least three; `weighted`
    needs the weights of the records.
    """
    out = np.empty_like(X)
    for j in range(X.shape[1]):
        observed = ~np.isnan(X[:, j])
        out[:, j] = np.nan
        if observed.any():
            x, of = X[observed, j], labels[observed]
            if operator in ("mean", "weighted"):
                centres = group_means(x, of, None if weights is None else weights[observed])
            else:
                centres = _ordered_centres(x, of, operator)
            out[observed, j] = centres[of]
    return out


def joined_around_gaps(x: Matrix, labels: Labels, k: int) -> Labels:
    """The groups of one column, those in which fewer than k cells are observed joined to the nearest ones.

    An average over fewer would tell what one of them holds, or a few. At least k cells must be observed, if any is.
    """
    observed = ~np.isnan(x)
    counts = np.bincount(labels[observed], minlength=int(labels.max()) + 1)
    if not np.any((counts > 0) & (counts < k)):
        return labels
    present, own = np.unique(labels[observed], return_inverse=True)
    joined = np.zeros(len(counts), dtype=np.int64)  # groups without any observed cell need no average
    joined[present[own]] = merge_small(np.ascontiguousarray(x[observed][:, None]), own, k)
    return joined[labels]


def group_means(x: Matrix, labels: Labels, weights: Matrix | None = None) -> Matrix:
    """The (weighted) mean of each group (NaN where a label has no member)."""
    counts = np.bincount(labels, weights=weights)
    first = np.zeros(len(counts))
    first[labels[::-1]] = x[::-1]
    # differences from one member: equal values average to exactly themselves
    apart = x - first[labels]
    totals = np.bincount(labels, weights=apart if weights is None else weights * apart)
    return np.asarray(first + np.divide(totals, counts, out=np.full(len(counts), np.nan), where=counts > 0))


def _ordered_centres(x: Matrix, labels: Labels, operator: Operator) -> Matrix:
    order = np.lexsort((x, labels))
    counts = np.bincount(labels)
    start = np.cumsum(counts) - counts
    if operator == "median":
        place = np.minimum(start + (counts - 1) // 2, len(x) - 1)
        return np.where(counts > 0, x[order[place]], np.nan)
    inner = np.ones(len(x), dtype=bool)
    trimmed = counts >= 3
    inner[start[trimmed]] = False
    inner[(start + counts - 1)[trimmed]] = False
    return group_means(x[order[inner]], labels[order[inner]])
