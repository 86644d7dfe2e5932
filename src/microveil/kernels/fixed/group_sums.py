"""Variances of many groups in one pass, each the number that the records of the group give by themselves."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.fixed.squares import join_slices, round_variance, slices_of
from microveil.kernels.fixed.sums import Grid


def exact_variances_in_groups(x: Floats, labels: Ints, low: Floats, high: Floats) -> Floats:
    """Variances (divisor n) of groups numbered from 0, between their smallest and largest values, rounded once.

    Every group has a record, and none more than 2^22.
    """
    grid = Grid.between(low, high)
    sizes = np.bincount(labels, minlength=len(low)).tolist()
    held = _squares_in_groups(x, labels, *grid.steps()).tolist()
    found = zip(sizes, held, grid.exponents.tolist(), strict=True)
    return np.array([round_variance(n, *join_slices(parts), exponent) for n, parts, exponent in found])


@compiled
def extremes_in_groups(x: Floats, labels: Ints, groups: int) -> tuple[Floats, Floats]:
    """The smallest and the largest value of each group."""
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    for i in range(len(x)):
        low[labels[i]] = min(low[labels[i]], x[i])
        high[labels[i]] = max(high[labels[i]], x[i])
    # + 0.0: which of two zeros of unlike sign is found depends on the order
    return low + 0.0, high + 0.0


@compiled
def _squares_in_groups(x: Floats, labels: Ints, first: Floats, second: Floats) -> Ints:
    """For each group: sums of products of slices, by the power of 2^20 they belong to, and of the three slices."""
    held = np.zeros((len(first), 8), dtype=np.int64)
    for i in range(len(x)):
        g = labels[i]
        high, middle, low = slices_of(x[i], first[g], second[g])
        held[g, 0] += high * high
        held[g, 1] += 2 * high * middle
        held[g, 2] += 2 * high * low + middle * middle
        held[g, 3] += 2 * middle * low
        held[g, 4] += low * low
        held[g, 5] += high
        held[g, 6] += middle
        held[g, 7] += low
    return held
