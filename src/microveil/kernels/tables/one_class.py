"""Diversity and closeness of one class from its counts, compiled: for searches that try many classes.

The definitions are those of `diversity` and `closeness`.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled


@compiled
def is_diverse(counts: Ints, total: int, kind: int, l: int, c: float) -> bool:  # noqa: E741 - the literature's letter
    """Whether `total` records with these counts have a diversity of l: `kind` 1 distinct, 2 entropy, 3 recursive."""
    if kind == 2:
        entropy = 0.0
        for count in counts:
            if count > 0:
                entropy -= count / total * np.log(count / total)
        return bool(np.exp(entropy) >= l * (1 - 1e-12))
    ordered = np.sort(counts)[::-1]
    if l > len(ordered) or ordered[l - 1] == 0:
        return False
    return bool(kind == 1 or ordered[0] < c * ordered[l - 1 :].sum())


@compiled
def distance_from(counts: Ints, total: int, shares: Floats, ordered: bool) -> float:
    """The earth mover's distance of `total` records with these counts from shares of the same values."""
    if len(counts) == 1:
        return 0.0
    moved = 0.0
    carried = 0.0
    for j in range(len(counts)):
        shift = counts[j] / total - shares[j]
        if ordered:
            carried += shift
            if j < len(counts) - 1:
                moved += abs(carried)
        else:
            moved += abs(shift) / 2
    return moved / (len(counts) - 1) if ordered else moved


@compiled
def distance_in_tree(counts: Ints, total: int, shares: Floats, nodes: Ints) -> float:
    """The distance along a tree: the mean over its levels, rows of `nodes`, of that between shares of their nodes."""
    moved = 0.0
    for level in range(len(nodes)):
        surplus = np.zeros(nodes[level].max() + 1)
        for j in range(len(counts)):
            surplus[nodes[level, j]] += counts[j] / total - shares[j]
        moved += np.abs(surplus).sum() / 2
    return moved / len(nodes)


@compiled
def gain_over(counts: Ints, total: int, shares: Floats) -> float:
    """By how much the share of a value exceeds the one given, as a part of that one: the largest over all values."""
    gain = 0.0
    for j in range(len(counts)):
        if counts[j] > 0:
            gain = max(gain, counts[j] / total / shares[j] - 1.0)
    return gain
