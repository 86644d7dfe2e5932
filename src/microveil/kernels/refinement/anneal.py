"""Simulated annealing of a partition: uphill moves while hot, a local optimum once cold."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from microveil.core.arrays import Floats, Ints, SmallInts
from microveil.core.compiling import compiled, inlined
from microveil.core.errors import BadInput
from microveil.kernels.refinement.descent import Problem, descend, labels_of, lay_out, one_group
from microveil.kernels.refinement.groups import (
    Groups,
    change_by_swap,
    cost_of_joining,
    dissolve,
    found_group,
    gain_of_leaving,
    join,
    leave,
    recentre,
    swap,
    within_sse,
)

_REGROUPING = 0.01  # share of steps that try to dissolve or found a group
_HOPELESS = 25.0  # exp(-25): not worth a random number
_FIRST_STEPS = 50_000  # steps of a timed run before its speed is known
_CACHED = 8192  # so many records and their groups fit into the cache
_BLOCK = 1024
_REPEATS = 5  # visits to a block before the next
_DESCENT = 3e-5  # seconds kept per record for the descent at the end of a timed run
_STAGES = 200  # steps of the temperature
_LOCALITY = 0.6  # 0: one temperature for all records; 1: temperature in proportion to local squared distances


def anneal(
    X: Floats,
    labels: Ints,
    k: int,
    *,
    seconds: float | None = None,
    sweeps: int | None = None,
    hottest: float = 0.3,
    coldest: float = 0.03,
    neighbours: int = 20,
    generator: np.random.Generator,
) -> Ints:
    """Lower the SSE of a partition by simulated annealing of moves and swaps between neighbouring groups.

    Use it where the loss matters more than the time. The temperature falls geometrically from `hottest`
    to `coldest`, in units of the mean squared distance to the near records around each record; a descent
    to the next local optimum follows. Give `sweeps` (tries per record: the result depends on the
    arguments and the generator only) or `seconds` of CPU time (it also depends on the machine's speed; the
    lists of neighbours are always completed, which takes seconds per million records).
    The result is never worse than the start.
    Reference: Kirkpatrick, Gelatt & Vecchi 1983.
    """
    if (seconds is None) == (sweeps is None):
        raise BadInput(f"seconds={seconds} and sweeps={sweeps}; give one of them")
    if X.shape[0] < 2 * k:
        return one_group(X, labels, k)
    start = time.thread_time()
    problem = lay_out(X, labels, k, neighbours, generator)
    first = within_sse(problem.X, problem.groups)
    kept = labels_of(problem)
    deadline = np.inf if seconds is None else start + seconds
    reserve = 0.0 if seconds is None else min(_DESCENT * X.shape[0], 0.1 * seconds)
    cool(problem, k, sweeps, deadline - reserve, hottest, coldest, generator)
    descend(problem, k, np.iinfo(np.int64).max, deadline)
    return labels_of(problem) if within_sse(problem.X, problem.groups) < first else kept


def cool(
    problem: Problem,
    k: int,
    sweeps: int | None,
    deadline: float,
    hottest: float,
    coldest: float,
    generator: np.random.Generator,
    watch: Callable[[float, Ints], None] | None = None,
) -> None:
    """Anneal in place for a number of sweeps, or else until the CPU clock reads `deadline`.

    `watch` is shown the temperature and the labels (in the problem's order) after each stage.
    """
    X, _, neighbours, groups, _ = problem
    n = X.shape[0]
    heat = local_heat(problem)
    block, least_repeats = (n, 1) if n <= _CACHED else (_BLOCK, min(_REPEATS, sweeps or _REPEATS))
    start = time.thread_time()
    stage = n * sweeps / _STAGES if sweeps is not None else _FIRST_STEPS
    low = done = 0
    progress = 0.0
    while progress < 1.0:
        temperature = hottest * (coldest / hottest) ** progress
        repeats = max(round(stage / n), least_repeats)
        high = min(low + block * max(round(stage / (block * repeats)), 1), n)
        _anneal(X, groups, neighbours, heat, temperature, k, low, high, block, repeats, generator)
        done += (high - low) * repeats
        low = high % n
        if low == 0:
            recentre(X, groups)
            if watch is not None:
                watch(temperature, groups.label)
        if sweeps is not None:
            progress = done / (n * sweeps)
        else:
            progress = (time.thread_time() - start) / max(deadline - start, 1e-9)
            stage = done / max(progress, 1e-9) / _STAGES


def local_heat(problem: Problem) -> Floats:
    """The scale of the temperature at each record, between the local and the mean squared distance.

    Outliers and the dense middle of a file freeze at temperatures many times apart; with a scale of
    their own both are cooled in one run.
    """
    squares = _mean_squares(problem.X, problem.neighbours)
    mean = float(squares.mean())
    heat: Floats = np.maximum(squares, mean * 1e-6) ** _LOCALITY * mean ** (1.0 - _LOCALITY)
    return heat


@compiled
def _mean_squares(X: Floats, neighbours: SmallInts) -> Floats:
    """The mean squared distance of each record to its neighbours."""
    n, near = neighbours.shape
    squares = np.zeros(n)
    for i in range(n):
        for q in range(near):
            for f in range(X.shape[1]):
                squares[i] += (X[i, f] - X[neighbours[i, q], f]) ** 2
        squares[i] /= near
    return squares


@compiled
def _anneal(
    X: Floats,
    groups: Groups,
    neighbours: SmallInts,
    scale: Floats,
    temperature: float,
    k: int,
    low: int,
    high: int,
    block: int,
    repeats: int,
    generator: np.random.Generator,
) -> None:
    """Visit the records in [low, high) `repeats` times, block by block, and change groups by the Metropolis rule."""
    # the visits to a block follow one another, so that its records and groups stay in the cache
    for first in range(low, high, block):
        for _ in range(repeats):
            for i in range(first, min(first + block, high)):
                _visit(X, groups, neighbours, scale[i] * temperature, k, i, generator)


@inlined
def _visit(
    X: Floats, groups: Groups, neighbours: SmallInts, heat: float, k: int, i: int, generator: np.random.Generator
) -> None:
    """Try one random change around record i."""
    # drawing costs as much as a distance: one number makes all choices
    draw = (generator.random() - _REGROUPING) / (1.0 - _REGROUPING)
    if draw >= 0.0:
        near = neighbours.shape[1]
        draw *= 2 * near
        choice = int(draw)
        j = int(neighbours[i, choice if choice < near else choice - near])
        if groups.label[i] != groups.label[j]:
            comer, host = (j, i) if choice < near else (i, j)
            _approach(X, groups, k, comer, host, draw - choice, heat, generator)
    else:
        limit = -heat * math.log(1.0 - generator.random())
        if groups.size[groups.label[i]] == k:
            dissolve(X, groups, neighbours, k, groups.label[i], limit)
        else:
            found_group(X, groups, neighbours, k, i, limit)


@inlined
def _approach(
    X: Floats, groups: Groups, k: int, i: int, j: int, draw: float, heat: float, generator: np.random.Generator
) -> None:
    """Let record i join the group of j, alone or in exchange for another record of that group, if accepted."""
    b = groups.label[j]
    choices = groups.size[b]
    if groups.size[groups.label[i]] > k and groups.size[b] < 2 * k - 1:
        choices += 1
    p = int(draw * choices)
    if p == groups.size[b]:
        if _accept(cost_of_joining(X, groups, i, b) - gain_of_leaving(X, groups, i), heat, generator):
            leave(X, groups, i)
            join(X, groups, i, b)
    else:
        partner = groups.members[b, p]
        if partner != j and _accept(change_by_swap(X, groups, i, partner), heat, generator):
            swap(X, groups, i, partner)


@inlined
def _accept(change: float, heat: float, generator: np.random.Generator) -> bool:
    """The rule of Metropolis: all gains, and losses with probability exp(-change / heat)."""
    if change <= 0.0:
        return True
    return change < _HOPELESS * heat and generator.random() < math.exp(-change / heat)
