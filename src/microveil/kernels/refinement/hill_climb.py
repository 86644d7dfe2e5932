"""Hill climbing on single cells: means and second moments of a masked file brought nearer to the original's.

The error is a weighted sum of absolute differences of moments. A move gives a cell another value or exchanges two
cells of a column; it changes one mean and one row of the second moments, so that trying it costs as many operations
as there are columns. Moves are taken if the error falls and the cells do not come too near to their originals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled, inlined
from microveil.kernels.moments.central import row_blocks

_LEAST_GAIN = 1e-14  # a smaller fall of the error may be rounding
_FEWEST_MOVES, _MOST_MOVES = 1 << 14, 1 << 20  # between two computations of the moments from the data


class Aim(NamedTuple):
    """The moments to reach, of values less `centre` in units of 1/`per_unit`, and the weights of their errors.

    `cross_weight` is symmetric and counts for a pair of columns once. Columns of `per_unit` 0 do not count.
    """

    centre: Floats
    per_unit: Floats
    mean: Floats
    cross: Floats
    mean_weight: Floats
    cross_weight: Floats


class Rules(NamedTuple):
    """Which moves are tried and which may be taken.

    Nearer to its original than `reach` no cell comes that was not nearer before. `distance`: the least squared
    distance of each record to its original, in units; empty: any. New values are drawn evenly between `low` and
    `high`, or are copied from the column where these are empty. `exchanges` is their share of the moves.
    """

    columns: Ints
    reach: Floats
    distance: Floats
    low: Floats
    high: Floats
    exchanges: float


class Climb(NamedTuple):
    """The error before and after, and the moves tried and taken."""

    before: float
    after: float
    tried: int
    taken: int


def hill_climb(
    Y: Floats, X: Floats, aim: Aim, rules: Rules, budget: int, most_failures: int, generator: np.random.Generator
) -> Climb:
    """Change Y in place until the moves, or the failures in a row, are spent; rows of X are the originals of Y's."""
    mean, cross = moments_about(Y, aim)
    before = error = moment_error(mean, cross, aim)
    tried = taken = failures = 0
    block = min(max(len(Y), _FEWEST_MOVES), _MOST_MOVES)
    while tried < budget and failures < most_failures and error > _LEAST_GAIN and len(rules.columns):
        draws = generator.random((min(block, budget - tried), 4))
        done, accepted, failures = _climb(Y, X, aim, rules, mean, cross, error, draws, failures, most_failures)
        tried, taken = tried + done, taken + accepted
        # afresh: sums that are kept up to date drift
        mean, cross = moments_about(Y, aim)
        error = moment_error(mean, cross, aim)
    return Climb(before, error, tried, taken)


def moments_about(Y: Floats, aim: Aim) -> tuple[Floats, Floats]:
    """Means and second moments (divisor n) of the columns on the scale of the aim."""
    mean, cross = np.zeros(Y.shape[1]), np.zeros((Y.shape[1], Y.shape[1]))
    for rows in row_blocks(Y):
        Z = (Y[rows] - aim.centre) * aim.per_unit
        mean += Z.sum(axis=0)
        cross += Z.T @ Z
    return mean / len(Y), cross / len(Y)


def moment_error(mean: Floats, cross: Floats, aim: Aim) -> float:
    """The weighted sum of absolute differences from the moments aimed at."""
    upper = np.triu(aim.cross_weight * np.abs(cross - aim.cross))
    return float((aim.mean_weight * np.abs(mean - aim.mean)).sum() + upper.sum())


def squared_distances(Y: Floats, X: Floats, per_unit: Floats) -> Floats:
    """The squared distance of each row of Y to that of X."""
    out = np.empty(len(Y))
    for rows in row_blocks(Y):
        out[rows] = (((Y[rows] - X[rows]) * per_unit) ** 2).sum(axis=1)
    return out


@compiled
def _climb(
    Y: Floats,
    X: Floats,
    aim: Aim,
    rules: Rules,
    mean: Floats,
    cross: Floats,
    error: float,
    draws: Floats,
    failures: int,
    most_failures: int,
) -> tuple[int, int, int]:
    """Try one move for each row of draws; how many were tried and taken, and the failures in a row at the end."""
    n, taken = Y.shape[0], 0
    steps = np.zeros(Y.shape[1])
    for t in range(draws.shape[0]):
        if failures >= most_failures or error <= _LEAST_GAIN:
            return t, taken, failures
        failures += 1
        j = rules.columns[int(draws[t, 1] * rules.columns.shape[0])]
        i, other = int(draws[t, 2] * n), int(draws[t, 3] * n)
        exchange = draws[t, 0] < rules.exchanges
        old = Y[i, j]
        new = Y[other, j]
        if not exchange and rules.low.shape[0] > 0:
            new = rules.low[j] + draws[t, 3] * (rules.high[j] - rules.low[j])
        if new == old or not _far_enough(old, new, X[i, j], rules.reach[j]):
            continue
        if exchange and not _far_enough(new, old, X[other, j], rules.reach[j]):
            continue
        step, gain = _gain(Y, aim, mean, cross, i, other if exchange else -1, j, new, steps)
        if gain <= _LEAST_GAIN or not _apart(Y, X, aim, rules, i, j, new):
            continue
        if exchange and not _apart(Y, X, aim, rules, other, j, old):
            continue
        Y[i, j] = new
        if exchange:
            Y[other, j] = old
        mean[j] += step
        for k in range(Y.shape[1]):
            cross[j, k] += steps[k]
            cross[k, j] = cross[j, k]
        error -= gain
        taken += 1
        failures = 0
    return draws.shape[0], taken, failures


@inlined
def _far_enough(old: float, new: float, original: float, reach: float) -> bool:
    """Whether the new value is outside reach of the original, or no nearer to it than the old one."""
    gap = abs(new - original)
    return gap > reach or gap >= abs(old - original)


@compiled
def _gain(
    Y: Floats, aim: Aim, mean: Floats, cross: Floats, i: int, other: int, j: int, new: float, steps: Floats
) -> tuple[float, float]:
    """The step of the mean of column j, and by how much the error falls.

    Cell (i, j) gets the new value, and cell (other, j) the old one unless `other` is -1. `steps` becomes the changes
    of the second moments of column j.
    """
    n = Y.shape[0]
    was = (Y[i, j] - aim.centre[j]) * aim.per_unit[j]
    becomes = (new - aim.centre[j]) * aim.per_unit[j]
    shift = (becomes - was) / n
    for k in range(Y.shape[1]):
        value = Y[i, k] if other < 0 else Y[i, k] - Y[other, k] + aim.centre[k]
        steps[k] = shift * (value - aim.centre[k]) * aim.per_unit[k]
    steps[j] = shift * (becomes + was) if other < 0 else 0.0
    step = shift if other < 0 else 0.0
    gain = aim.mean_weight[j] * (abs(mean[j] - aim.mean[j]) - abs(mean[j] + step - aim.mean[j]))
    for k in range(Y.shape[1]):
        off = cross[j, k] - aim.cross[j, k]
        gain += aim.cross_weight[j, k] * (abs(off) - abs(off + steps[k]))
    return step, gain


@compiled
def _apart(Y: Floats, X: Floats, aim: Aim, rules: Rules, i: int, j: int, new: float) -> bool:
    """Whether record i with the new value in column j is as far from its original as it must be."""
    if rules.distance.shape[0] == 0:
        return True
    total = 0.0
    for k in range(Y.shape[1]):
        value = new if k == j else Y[i, k]
        gap = (value - X[i, k]) * aim.per_unit[k]
        total += gap * gap
    return bool(total >= rules.distance[i])
