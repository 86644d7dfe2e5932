"""t-closeness: how far the values of a class are from those of the whole file, by the earth mover's distance.

Whoever makes the values gives a missing one a value of its own; where values have an order it stands below all others.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints, Scalars
from microveil.kernels.tables.classes import value_counts


def class_distance(labels: Ints, values: Scalars, ordered: bool) -> Floats:
    """Earth mover's distance of each class's distribution from that of the whole file, in [0, 1].

    Ordered values one step apart are 1/(m - 1) apart, m the number of distinct values; otherwise all values are at
    distance 1. A number that no record has as its label is a class at no distance. Reference: Li, Li &
    Venkatasubramanian 2007.
    """
    codes, counts = np.unique(values, return_inverse=True, return_counts=True)[1:]
    codes = codes.reshape(-1)
    sizes = np.bincount(labels)
    if len(counts) < 2:
        return np.zeros(len(sizes))
    found = _over_steps(labels, codes, counts, sizes) if ordered else _over_shares(labels, codes, counts, sizes)
    return np.where(sizes > 0, found, 0.0)


def _over_shares(labels: Ints, codes: Ints, totals: Ints, sizes: Ints) -> Floats:
    """Half the sum of absolute differences between each class's shares and the file's."""
    classes, present, counts = value_counts(labels, codes)
    share, there = counts / sizes[classes], totals[present] / len(codes)
    # values the class lacks add their whole share
    total = np.bincount(classes, weights=np.abs(share - there) - there, minlength=len(sizes)) + 1.0
    return np.asarray(np.maximum(0.5 * total, 0.0))


def _over_steps(labels: Ints, ranks: Ints, totals: Ints, sizes: Ints) -> Floats:
    """Differences of distribution functions, summed over the steps between distinct values."""
    m = len(totals)
    # F(i) of the file at each distinct value, and its running sums for sums over stretches
    F = np.cumsum(totals) / len(ranks)
    running = np.concatenate([[0.0], np.cumsum(F)])
    order = np.lexsort((ranks, labels))
    labels, ranks = labels[order], ranks[order]
    start = np.cumsum(sizes) - sizes
    step = (np.arange(len(labels)) - start[labels] + 1) / sizes[labels]
    last = np.arange(len(labels)) == (start + sizes - 1)[labels]
    ends = np.where(last, m, np.append(ranks[1:], m))
    found = np.bincount(labels, weights=_stretch(step, ranks, ends, F, running), minlength=len(sizes))
    filled = sizes > 0
    found[filled] += running[ranks[start[filled]]]
    return np.asarray(found / (m - 1))


def _stretch(level: Floats, first: Ints, end: Ints, F: Floats, running: Floats) -> Floats:
    """Sum of |level - F(i)| over first <= i < end, F increasing."""
    cross = np.clip(np.searchsorted(F, level, side="left"), first, end)
    lower = level * (cross - first) - (running[cross] - running[first])
    upper = (running[end] - running[cross]) - level * (end - cross)
    return np.maximum(lower, 0.0) + np.maximum(upper, 0.0)
