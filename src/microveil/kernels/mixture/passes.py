"""The two passes over the records in every iteration of a mixture fit: memberships, and weighted moments."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.compiling import compiled

_TILE = 256  # records side by side, so that one instruction takes several of them


@compiled
def _distances(X: Floats, first: int, count: int, mean: Floats, whiten: Floats, apart: Floats, out: Floats) -> None:
    """Squared distances of some records from a mean in units of a covariance; `apart` is room to work in.

    Each record's sums are added up in the order of columns, however many records stand side by side.
    """
    p = len(mean)
    for a in range(p):
        for r in range(count):
            apart[a, r] = X[first + r, a] - mean[a]
    out[:count] = 0.0
    turned = apart[p]
    for a in range(p):
        turned[:count] = 0.0
        for b in range(a + 1):
            w = whiten[a, b]
            for r in range(count):
                turned[r] += w * apart[b, r]
        for r in range(count):
            out[r] += turned[r] * turned[r]


@compiled
def log_densities(X: Floats, means: Floats, whiten: Floats, constants: Floats, degrees: Floats, out: Floats) -> None:
    """Log of weight times density of every record (row) in every component (column), into `out`.

    `whiten` holds inverse Cholesky factors, `constants` what does not depend on the record; components with finite
    degrees of freedom are multivariate t, the others normal.
    """
    n, p = X.shape
    apart, distance = np.empty((p + 1, _TILE)), np.empty(_TILE)
    for first in range(0, n, _TILE):
        count = min(_TILE, n - first)
        for g in range(len(means)):
            _distances(X, first, count, means[g], whiten[g], apart, distance)
            for r in range(count):
                if np.isinf(degrees[g]):
                    out[first + r, g] = constants[g] - 0.5 * distance[r]
                else:
                    out[first + r, g] = constants[g] - 0.5 * (degrees[g] + p) * np.log1p(distance[r] / degrees[g])


@compiled
def tail_weights(X: Floats, means: Floats, whiten: Floats, degrees: Floats) -> Floats:
    """How much every record counts in every t component: less, the farther out it is (Peel & McLachlan 2000)."""
    n, p = X.shape
    out, apart, distance = np.empty((n, len(means))), np.empty((p + 1, _TILE)), np.empty(_TILE)
    for first in range(0, n, _TILE):
        count = min(_TILE, n - first)
        for g in range(len(means)):
            _distances(X, first, count, means[g], whiten[g], apart, distance)
            for r in range(count):
                out[first + r, g] = (degrees[g] + p) / (degrees[g] + distance[r])
    return out


@compiled
def normalise_rows(values: Floats) -> float:
    """Turn log densities into log memberships (rows of exponentials sum to 1); returns the log-likelihood."""
    n, G = values.shape
    total = 0.0
    for i in range(n):
        top = values[i, 0]
        for g in range(1, G):
            top = max(top, values[i, g])
        s = 0.0
        for g in range(G):
            s += np.exp(values[i, g] - top)
        log_sum = top + np.log(s)
        for g in range(G):
            values[i, g] -= log_sum
        total += log_sum
    return total


@compiled
def weighted_means(X: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Sums of the memberships, and the means of the records weighted by them."""
    n, p = X.shape
    G = z.shape[1]
    counts, means = np.zeros(G), np.zeros((G, p))
    for i in range(n):
        for g in range(G):
            counts[g] += z[i, g]
            for a in range(p):
                means[g, a] += z[i, g] * X[i, a]
    for g in range(G):
        if counts[g] > 0:
            means[g] /= counts[g]
    return counts, means


@compiled
def weighted_scatters(X: Floats, z: Floats, means: Floats) -> Floats:
    """Sums of the weighted products of deviations from the means, component by component."""
    n, p = X.shape
    G = z.shape[1]
    out, apart = np.zeros((G, p, p)), np.empty(p)
    for i in range(n):
        for g in range(G):
            w = z[i, g]
            if w == 0.0:
                continue
            for a in range(p):
                apart[a] = X[i, a] - means[g, a]
            for a in range(p):
                y = w * apart[a]
                for b in range(a + 1):
                    out[g, a, b] += y * apart[b]
    for g in range(G):
        for a in range(p):
            for b in range(a):
                out[g, b, a] = out[g, a, b]
    return out
