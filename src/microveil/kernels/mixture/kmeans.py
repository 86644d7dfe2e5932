"""k-means from spread-out random centres: the other start of a mixture fit."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled

_STARTS = 5
_ROUNDS = 100


def kmeans_partitions(X: Floats, most: int, generator: np.random.Generator) -> Ints:
    """Partitions into 1, 2, ..., `most` groups (columns), the best of some starts each; groups may be fewer.

    Attributes count in units of their standard deviations. Reference: Lloyd 1982; starts of Arthur & Vassilvitskii
    2007.
    """
    spread = X.std(axis=0)
    Z = np.ascontiguousarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
    out = np.zeros((len(X), most), dtype=np.int64)
    for groups in range(2, most + 1):
        tried = [_kmeans(Z, _spread_out(Z, groups, generator)) for _ in range(_STARTS)]
        labels = min(tried, key=lambda result: result[1])[0]
        out[:, groups - 1] = np.unique(labels, return_inverse=True)[1].reshape(-1)
    return out


def _spread_out(Z: Floats, groups: int, generator: np.random.Generator) -> Floats:
    """Centres drawn one after the other with probabilities proportional to squared distances from those before."""
    chosen = [int(generator.integers(len(Z)))]
    distance = np.full(len(Z), np.inf)
    for _ in range(groups - 1):
        distance = np.minimum(distance, ((Z - Z[chosen[-1]]) ** 2).sum(axis=1))
        reach = np.cumsum(distance)
        if reach[-1] == 0:  # fewer different records than groups
            break
        at = np.searchsorted(reach, generator.random() * reach[-1], side="right")
        chosen.append(min(int(at), len(Z) - 1))
    return Z[chosen]


@compiled
def _kmeans(Z: Floats, centres: Floats) -> tuple[Ints, float]:
    n, p = Z.shape
    labels = np.full(n, -1, dtype=np.int64)
    total = np.inf
    for _ in range(_ROUNDS):
        total, moved = 0.0, 0
        counts, sums = np.zeros(len(centres)), np.zeros_like(centres)
        for i in range(n):
            best, nearest = np.inf, 0
            for g in range(len(centres)):
                d = 0.0
                for a in range(p):
                    d += (Z[i, a] - centres[g, a]) ** 2
                if d < best:
                    best, nearest = d, g
            moved += labels[i] != nearest
            labels[i] = nearest
            total += best
            counts[nearest] += 1
            sums[nearest] += Z[i]
        if moved == 0:
            break
        for g in range(len(centres)):
            if counts[g] > 0:
                centres[g] = sums[g] / counts[g]
    return labels, total
