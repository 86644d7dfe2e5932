"""What a partition loses."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Labels, Matrix
from microveil.core.errors import BadInput
from microveil.partition.base import check_matrix


def information_loss(
    X: ArrayLike, labels: ArrayLike, *, standardise: Literal["zscore", "range", "robust"] | None = "zscore"
) -> float:
    """The share of the variation inside groups: 100 SSE / SST on standardised data, between 0 and 100.

    Use it to compare partitions: it is what is lost when every record is replaced by the mean of its group. Data
    without any variation lose nothing. Reference: Domingo-Ferrer & Mateo-Sanz 2002.

    >>> round(information_loss([[1.0], [2.0], [8.0], [9.0]], [0, 0, 1, 1]), 6)
    2.0
    """
    from microveil.kernels.moments.scales import standardise as scaled

    values = check_matrix(X, 1, "information_loss")
    groups = np.asarray(labels)
    if groups.shape != (len(values),) or groups.dtype.kind not in "iu":
        raise BadInput(
            f"labels of shape {groups.shape} and type {groups.dtype} for {len(values)} records; "
            "give one whole number per record"
        )
    points = scaled(values, standardise).values
    total = within_groups(points, np.zeros(len(points), dtype=np.int64))
    return 100.0 * within_groups(points, groups) / total if total > 0 else 0.0


def within_groups(X: Matrix, labels: Labels) -> float:
    """The sum of squared distances of records to the means of their groups."""
    groups = np.unique(labels, return_inverse=True)[1]
    counts = np.bincount(groups)
    within = 0.0
    for x in X.T:
        centred = x - x.mean()
        means = np.bincount(groups, weights=centred) / counts
        within += float(((centred - means[groups]) ** 2).sum())
    return within
