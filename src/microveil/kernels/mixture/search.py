"""Which mixture fits best: all covariance families and numbers of components, compared by BIC."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.progress import advance
from microveil.kernels.mixture.em import TOLERANCE, Fit, fit_mixture, log_memberships, start_fit
from microveil.kernels.mixture.hierarchy import model_based_partitions
from microveil.kernels.mixture.kmeans import kmeans_partitions
from microveil.kernels.mixture.tails import GAUSSIAN

HIERARCHY_ROWS = 2000  # the hierarchy takes quadratic time
_DEPENDENT = 1e-6  # part of a column's standard deviation that the columns before it leave unexplained


class Search(NamedTuple):
    """The best mixture (None if every one collapses) and the BIC of all tried; NaN where a component collapses."""

    best: Fit | None
    bics: dict[tuple[str, int], float]


def free_columns(X: Floats) -> Ints:
    """The columns that are neither constant nor a linear combination of those before them."""
    spread = X.std(axis=0)
    wide = np.maximum(np.abs(X.max(axis=0)), np.abs(X.min(axis=0)))
    varies = np.flatnonzero(spread > 8 * np.finfo(np.float64).eps * wide)
    Z = X[:, varies] - X[:, varies].mean(axis=0)
    Z /= spread[varies]
    gram, kept = Z.T @ Z / len(X), list[int]()
    for j in range(len(varies)):
        block = gram[np.ix_(kept, kept)]
        unexplained = gram[j, j] - gram[j, kept] @ np.linalg.solve(block, gram[kept, j]) if kept else gram[j, j]
        if unexplained > _DEPENDENT**2 * len(varies):
            kept.append(j)
    return np.asarray(varies[kept], dtype=np.int64)


def search_mixtures(
    X: Floats,
    most: int,
    families: tuple[str, ...],
    generator: np.random.Generator,
    *,
    start: str = "hierarchical",
    floor: float = 0.0,
    degrees: float | None = GAUSSIAN,
    tolerance: float = TOLERANCE,
) -> Search:
    """Fit 1, 2, ..., `most` components in all families and keep the mixture of the highest BIC.

    A mixture one of whose components collapses onto fewer dimensions has an unbounded likelihood and is out. Starts:
    model-based hierarchical (on a random part of more than 2,000 records) or k-means.
    Reference: Fraley & Raftery 2002.
    """
    rows, partitions = _starts(X, most, start, generator)
    best: Fit | None = None
    bics: dict[tuple[str, int], float] = {}
    for groups in range(1, most + 1):
        labels = partitions[:, groups - 1]
        if labels.max() + 1 < groups:
            break  # fewer different records than components
        for number, family in enumerate(families):
            # the time of one fit grows with its components
            advance((groups * (groups - 1) / 2 + groups * number / len(families)) / (most * (most + 1) / 2))
            begin = labels if len(rows) == len(X) else _extended(X, rows, labels, family, floor)
            fit = None
            if begin is not None:
                fit = fit_mixture(X, begin, family, floor=floor, degrees=degrees, tolerance=tolerance)
            bics[family, groups] = np.nan if fit is None else fit.bic
            if fit is not None and (best is None or fit.bic > best.bic):
                best = fit
    return Search(best, bics)


def _starts(X: Floats, most: int, start: str, generator: np.random.Generator) -> tuple[Ints, Ints]:
    rows = np.arange(len(X))
    if start == "kmeans":
        return rows, kmeans_partitions(X, most, generator)
    if len(X) > HIERARCHY_ROWS:
        rows = np.sort(generator.choice(len(X), HIERARCHY_ROWS, replace=False))
    return rows, model_based_partitions(X[rows], most)


def _extended(X: Floats, rows: Ints, labels: Ints, family: str, floor: float) -> Ints | None:
    """The partition of some records carried over to all: each goes where the model of those finds it most likely."""
    first = start_fit(np.ascontiguousarray(X[rows]), labels, family, floor)
    if first is None:
        return None
    everyone = log_memberships(X, first).argmax(axis=1)
    return None if len(np.unique(everyone)) < first.groups else everyone
