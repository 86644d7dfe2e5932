"""k-modes clustering of categorical records with at least k records per cluster."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.mixed import MixedMetric, average_rows, squared_distance


@compiled
def k_modes(values: Floats, metric: MixedMetric, seeds: Ints, k: int, rounds: int) -> Ints:
    """Clusters around the seeds' records, averages recomputed `rounds` times, then filled up to k records.

    Clusters that hold fewer than k records take the nearest ones from clusters with more than k; the emptiest
    are dissolved as long as there are more clusters than n / k allows. Reference: Torra 2004.
    """
    n, clusters = len(values), len(seeds)
    centres = values[seeds].copy()
    labels, once = np.full(n, -1, dtype=np.int64), np.ones(n, dtype=np.int64)
    for _ in range(rounds):
        moved = False
        for i in range(n):
            best = 0
            least = np.inf
            for c in range(clusters):
                d = squared_distance(values[i], centres[c], metric)
                if d < least:
                    least = d
                    best = c
            if labels[i] != best:
                labels[i] = best
                moved = True
        if not moved:
            break
        for c in range(clusters):
            members = np.flatnonzero(labels == c)
            if len(members):
                average_rows(values, members, once, metric, centres[c])
    _dissolve_empty(values, metric, centres, labels, k)
    _fill(values, metric, centres, labels, k)
    return labels


@compiled
def _dissolve_empty(values: Floats, metric: MixedMetric, centres: Floats, labels: Ints, k: int) -> None:
    """Give up clusters of less than half of k records; their records go to the nearest cluster that stays."""
    sizes = np.bincount(labels, minlength=len(centres))
    stays = 2 * sizes >= k
    stays[np.argmax(sizes)] = True
    for i in range(len(labels)):
        if not stays[labels[i]]:
            best = -1
            least = np.inf
            for c in range(len(centres)):
                d = squared_distance(values[i], centres[c], metric)
                if stays[c] and (best < 0 or d < least):
                    best = c
                    least = d
            labels[i] = best


@compiled
def _fill(values: Floats, metric: MixedMetric, centres: Floats, labels: Ints, k: int) -> None:
    """Move records with the least increase of distance into clusters that are short of k."""
    sizes = np.bincount(labels, minlength=len(centres))
    for _ in range(len(labels)):
        short = -1
        for c in range(len(centres)):
            if 0 < sizes[c] < k and (short < 0 or sizes[c] > sizes[short]):
                short = c
        if short < 0:
            return
        best = -1
        least = np.inf
        for i in range(len(labels)):
            if labels[i] != short and sizes[labels[i]] > k:
                increase = squared_distance(values[i], centres[short], metric) - squared_distance(
                    values[i], centres[labels[i]], metric
                )
                if increase < least:
                    least = increase
                    best = i
        if best >= 0:
            sizes[labels[best]] -= 1
            labels[best] = short
            sizes[short] += 1
        else:
            # nobody can be spared: the cluster joins the nearest other one
            into = -1
            for c in range(len(centres)):
                if c != short and sizes[c] > 0:
                    d = squared_distance(centres[short], centres[c], metric)
                    if into < 0 or d < least:
                        into = c
                        least = d
            for i in range(len(labels)):
                if labels[i] == short:
                    labels[i] = into
            sizes[into] += sizes[short]
            sizes[short] = 0
