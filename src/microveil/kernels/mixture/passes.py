"""The two passes over the records in every iteration of a mixture fit: memberships, and weighted moments."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.compiling import compiled


@compiled
def _distance(x: Floats, mean: Floats, whiten: Floats, apart: Floats) -> float:
    """Squared distance from the mean in units of a covariance; `apart` is room to work in."""
    for a in range(len(x)):
        apart[a] = x[a] - mean[a]
    distance = 0.0
    for a in range(len(x)):
        y = 0.0
        for b in range(a + 1):
            y += whiten[a, b] * apart[b]
        distance += y * y
    return distance


@compiled
def log_densities(X: Floats, means: Floats, whiten: Floats, constants: Floats, degrees: Floats, out: Floats) -> None:
    """Log of weight times density of every record (row) in every component (column), into `out`.

    `whiten` holds inverse Cholesky factors, `constants` what does not depend on the record; components with finite
    degrees of freedom are multivariate t, the others normal.
    """
    n, p = X.shape
    apart = np.empty(p)
    for i in range(n):
        for g in range(len(means)):
            distance = _distance(X[i], means[g], whiten[g], apart)
            if np.isinf(degrees[g]):
                out[i, g] = constants[g] - 0.5 * distance
            else:
                out[i, g] = constants[g] - 0.5 * (degrees[g] + p) * np.log1p(distance / degrees[g])


@compiled
def tail_weights(X: Floats, means: Floats, whiten: Floats, degrees: Floats) -> Floats:
    """How much every record counts in every t component: less, the farther out it is (Peel & McLachlan 2000)."""
    n, p = X.shape
    out, apart = np.empty((n, len(means))), np.empty(p)
    for i in range(n):
        for g in range(len(means)):
            out[i, g] = (degrees[g] + p) / (degrees[g] + _distance(X[i], means[g], whiten[g], apart))
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
