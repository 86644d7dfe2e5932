"""Centre and covariance of the bulk of a file: outliers neither draw the centre nor widen the spread.

The minimum covariance determinant (Rousseeuw 1985) from starts that are no matter of chance (Hubert, Rousseeuw &
Verdonck 2012), so that the same file always gives the same numbers, in any order of its records.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from microveil.core.arrays import Floats, Ints

_OUTER = 0.975  # share of a normal file that is no outlier
_STEPS = 100
_RANK = 1e-10


def robust_moments(X: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of the records that are no outliers, consistent for normal data; X has no gaps.

    Attributes that depend linearly on others are allowed: distances are then taken on the range of the covariance.
    """
    from scipy.special import gammainc
    from scipy.stats import chi2

    Z, centre, axes = _whitened(X[np.lexsort(X.T)])
    n, p = Z.shape
    if p == 0:
        return centre, np.zeros((X.shape[1], X.shape[1]))
    most = (n + p + 1) // 2
    starts = [_narrowest(Z[:, 0], most)] if p == 1 else _starts(Z)
    found = min((_concentrated(Z, start, most) for start in starts), key=lambda half: half[0])[1]
    mean, covariance = _moments(Z[found])
    covariance = covariance / _consistency(most / n, p)
    inside = squared_distances(Z, mean, covariance) <= chi2.ppf(_OUTER, p)
    mean, covariance = _moments(Z[inside])
    covariance = covariance * (_OUTER / gammainc(p / 2 + 1, chi2.ppf(_OUTER, p) / 2))
    return centre + mean @ axes, axes.T @ covariance @ axes


def squared_distances(X: Floats, centre: Floats, covariance: Floats) -> Floats:
    """Squared Mahalanobis distances on the range of the covariance."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _RANK * max(float(values.max(initial=0.0)), 0.0)
    return np.asarray((((X - centre) @ vectors[:, kept]) ** 2 / values[kept]).sum(axis=1))


def _consistency(share: float, p: int) -> float:
    """What the covariance of the innermost share of a normal file is of that of the whole (Croux & Haesbroeck 1999)."""
    from scipy.special import gammainc
    from scipy.stats import chi2

    return float(gammainc(p / 2 + 1, chi2.ppf(share, p) / 2) / share)


def _whitened(X: Floats) -> tuple[Floats, Floats, Floats]:
    """The file on the axes that it spans, each with variance one; with its centre and those axes in its own units."""
    centre = X.mean(axis=0)
    scale = X.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(np.cov((X - centre).T / scale[:, None], bias=True).reshape(X.shape[1], -1))
    kept = values > _RANK * max(float(values.max(initial=0.0)), 0.0)
    Z = (X - centre) / scale @ vectors[:, kept] / np.sqrt(values[kept])
    return Z, centre, (vectors[:, kept] * np.sqrt(values[kept])).T * scale


def _moments(Z: Floats) -> tuple[Floats, Floats]:
    mean = Z.mean(axis=0)
    return mean, (Z - mean).T @ (Z - mean) / (len(Z) - 1)


def _concentrated(Z: Floats, rows: Ints, most: int) -> tuple[float, Ints]:
    """Half the records with a smaller and smaller determinant: those nearest to their own centre, again and again."""
    least = np.inf
    for _ in range(_STEPS):
        mean, covariance = _moments(Z[rows])
        size = float(np.linalg.slogdet(covariance)[1])
        if size >= least - 1e-12:
            break
        least = size
        rows = np.argsort(squared_distances(Z, mean, covariance), kind="stable")[:most]
    return least, rows


def _narrowest(z: Floats, most: int) -> Ints:
    """So many values of least variance: of one attribute they are neighbours, so that all halves can be looked at."""
    order = np.argsort(z, kind="stable")
    sums, squares = (np.concatenate([[0.0], np.cumsum(z[order] ** power)]) for power in (1, 2))
    variance = (squares[most:] - squares[:-most]) - (sums[most:] - sums[:-most]) ** 2 / most
    first = int(np.argmin(variance))
    return order[first : first + most]


def _starts(Z: Floats) -> Iterator[Ints]:
    """Halves of the file that lie inside by covariances which outliers hardly move."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    n, p = Z.shape
    half = max(-(-n // 2), min(p + 1, n))
    middle = np.median(Z, axis=0)
    spread = np.median(np.abs(Z - middle), axis=0)
    U = (Z - middle) / np.where(spread > 0, 1.4826 * spread, 1.0)
    length = np.sqrt((U**2).sum(axis=1))
    ranks = rankdata(U, axis=0)
    inner = U[np.argsort(length, kind="stable")[:half]]
    signs = U / np.where(length > 0, length, 1.0)[:, None]
    for shape in (np.tanh(U), ranks, ndtri((ranks - 1 / 3) / (n + 1 / 3)), signs, inner):
        yield np.argsort(_distances_by(U, np.cov(shape.T).reshape(p, p)), kind="stable")[:half]


def _distances_by(U: Floats, shape: Floats) -> Floats:
    """Squared distances along the axes of a covariance, with the spread of the file along them told by medians."""
    _, axes = np.linalg.eigh(shape)
    along = U @ axes
    middle = np.median(along, axis=0)
    spread = np.median(np.abs(along - middle), axis=0)
    return np.asarray((((along - middle) / np.where(spread > 0, spread, 1.0)) ** 2).sum(axis=1))
