"""Moments of subdomains and the joining of those that are too small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Labels


@dataclass(frozen=True)
class Parts:
    """Sizes and sums of subdomains: all that the share explained by their means needs."""

    sizes: Labels
    sums: Floats

    @classmethod
    def of(cls, Z: Floats, labels: Labels) -> Parts:
        """The parts of a table of deviations from the overall mean."""
        count = int(labels.max()) + 1
        sums = np.zeros((count, Z.shape[1]))
        for j, column in enumerate(Z.T):
            sums[:, j] = np.bincount(labels, column, count)
        return cls(np.bincount(labels, minlength=count), sums)

    def explained(self, total: float) -> float:
        """The share of the total sum of squares that lies between the parts, less what chance alone gives.

        The adjusted coefficient of determination (Ezekiel 1930), 0 where that is negative.
        """
        n, parts = int(self.sizes.sum()), len(self.sizes)
        if total <= 0 or n <= parts:
            return 0.0
        between = float((self.sums**2 / self.sizes[:, None]).sum())
        return max(0.0, 1.0 - (1.0 - between / total) * (n - 1) / (n - parts))


def covariance_difference(Z: Floats, labels: Labels) -> float:
    """How far covariances inside subdomains lie from their average, in sizes (norms) of the overall covariance.

    The root mean square over records, less what as many random subdomains of records with the same deviations from
    the means of their subdomains would differ by.
    """
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    n, p = Z.shape
    pooled, squares, fourth = np.zeros((p, p)), 0.0, 0.0
    for rows in np.split(order, np.cumsum(sizes)[:-1]):
        centred = Z[rows] - Z[rows].mean(axis=0)
        products = centred.T @ centred
        pooled += products
        squares += float((products**2).sum()) / len(rows)
        fourth += float((np.einsum("ij,ij->i", centred, centred) ** 2).sum())
    average = float((pooled**2).sum()) / n**2
    # covariances of n_g records drawn at random have the total variance (fourth / n - average) (1/n_g - 1/n)
    by_chance = (fourth / n - average) * (len(sizes) - 1) / n
    overall = float(((Z.T @ Z) ** 2).sum()) / n**2
    return float(np.sqrt(max(0.0, squares / n - average - by_chance) / overall)) if overall > 0 else 0.0


def join_parts(parts: Parts, at_least: int, ordered: bool) -> Labels:
    """The new number of each part after the smallest ones joined others until all have the size.

    The smallest part joins where the least of the differences between means is lost (Ward 1963): among all parts, or
    among its neighbours where the parts have an order.
    """
    sizes, sums = parts.sizes.astype(np.float64), parts.sums.copy()
    of_part = np.arange(len(sizes))
    alive = np.ones(len(sizes), dtype=np.bool_)
    while alive.sum() > 1:
        present = np.flatnonzero(alive)
        smallest = int(present[np.argmin(sizes[present])])
        if sizes[smallest] >= at_least:
            break
        others = _neighbours(present, smallest) if ordered else present[present != smallest]
        gap = sums[others] / sizes[others, None] - sums[smallest] / sizes[smallest]
        lost = sizes[others] * sizes[smallest] / (sizes[others] + sizes[smallest]) * (gap**2).sum(axis=1)
        target = int(others[np.argmin(lost)])
        sizes[target] += sizes[smallest]
        sums[target] += sums[smallest]
        alive[smallest] = False
        of_part[of_part == smallest] = target
    return np.unique(of_part, return_inverse=True)[1].astype(np.int64)


def _neighbours(present: Labels, part: int) -> Labels:
    where = int(np.searchsorted(present, part))
    return np.array([present[i] for i in (where - 1, where + 1) if 0 <= i < len(present)], dtype=np.int64)
