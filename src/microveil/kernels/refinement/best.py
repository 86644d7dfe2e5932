"""The strongest partition within a time budget, at any number of records."""

from __future__ import annotations

import time

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.kernels.mdav.engine import mdav
from microveil.kernels.refinement.anneal import cool
from microveil.kernels.refinement.descent import Problem, check_partition, descend, labels_of, lay_out
from microveil.kernels.refinement.groups import make_groups, within_sse
from microveil.kernels.refinement.recombine import GroupPool, group_costs, recombine
from microveil.kernels.search.blocks import label_blocks
from microveil.kernels.tables.classes import first_rows

_EXACT_START = 20_000  # more records than this start from MDAV in blocks
_BLOCK = 4_000
_VISIT = 1.2e-7  # rough CPU seconds of one visit to a record, to plan with
_FEW_SWEEPS = 4_000.0  # below this, one run with few neighbours and no more heat than it can cool
_FEW_NEIGHBOURS = 6
_NEIGHBOURS = 16
_HOTTEST, _REHEATED, _COLDEST = 0.3, 0.1, 0.03  # temperatures of small files
_COLDEST_LARGE = 0.05
_SNAPSHOTS_BELOW = 0.06  # the temperature at which groups become good enough for the pool
_FRESH = 0.5  # share of the time spent on runs from the start
_RUN = 0.1  # share of the time spent on one run or recombination
_LONGEST = 100_000  # sweeps of one run
_IDLE = 40  # runs without any gain before stopping early


def best(X: Floats, k: int, seconds: float, generator: np.random.Generator) -> Ints:
    """The partition of lowest SSE that about `seconds` of CPU time on one core can find.

    Use it where the loss matters more than the time. MDAV is annealed: for large files once, ever more
    slowly; for small files several times, the groups met on the way being recombined into the cheapest
    partition and that annealed again at low temperature. A start is always made, even if the budget is
    too small for it. The result depends on the speed of the machine as well as on the generator.
    """
    start = time.thread_time()
    n = X.shape[0]
    if n < 2 * k:
        labels = np.zeros(n, np.int64)
        check_partition(X, labels, k)
        return labels
    labels = mdav(X, k) if n <= _EXACT_START else label_blocks(X, k, max(_BLOCK, 8 * k), mdav)
    if _equal_inside(X, labels):
        return labels  # no loss to lower: the time would be spent on nothing
    sweeps = seconds / (_VISIT * n)
    if sweeps < _FEW_SWEEPS:
        return _anneal_once(X, labels, k, sweeps, start + seconds, generator)
    return _anneal_and_recombine(X, labels, k, start + seconds, generator)


def _equal_inside(X: Floats, labels: Ints) -> bool:
    """Whether every group holds equal records only."""
    first = first_rows(labels, int(labels.max()) + 1)
    return bool((X[first[labels]] == X).all())


def _anneal_once(
    X: Floats, labels: Ints, k: int, sweeps: float, deadline: float, generator: np.random.Generator
) -> Ints:
    """One annealing run over all the time there is, no hotter than it can cool, and the descent after it."""
    problem = lay_out(X, labels, k, _FEW_NEIGHBOURS, generator)
    kept, first = labels_of(problem), within_sse(problem.X, problem.groups)
    left = deadline - time.thread_time()
    if left > 0:
        hottest = _COLDEST_LARGE * max(1.0, min(3.0, sweeps**0.5 / 5.0))
        cool(problem, k, None, deadline - 0.1 * left, hottest, _COLDEST_LARGE, generator)
        descend(problem, k, np.iinfo(np.int64).max, deadline)
    return labels_of(problem) if within_sse(problem.X, problem.groups) < first else kept


def _anneal_and_recombine(X: Floats, labels: Ints, k: int, deadline: float, generator: np.random.Generator) -> Ints:
    """Annealing runs from the start and then from the best partition so far, recombined in between."""
    problem = lay_out(X, labels, k, _NEIGHBOURS, generator)
    begin = time.thread_time()
    share = min(_RUN * (deadline - begin), _LONGEST * _VISIT * X.shape[0])
    fresh_until = begin + _FRESH * (deadline - begin)
    pool = GroupPool(problem.X)
    first = best_labels = problem.groups.label.copy()
    lowest = np.inf
    idle = 0
    while time.thread_time() < deadline and idle < _IDLE:
        fresh = time.thread_time() < fresh_until and idle < _IDLE // 2
        run_end = min(time.thread_time() + share, deadline)
        labels = _anneal_run(problem, first if fresh else best_labels, k, run_end, fresh, pool, generator)
        best_labels = min(best_labels, labels, key=lambda each: group_costs(problem.X, each).sum())
        if not fresh:
            best_labels = recombine(pool, best_labels, min(time.thread_time() + share, deadline), generator)
        reached = group_costs(problem.X, best_labels).sum()
        idle = 0 if reached < lowest * (1 - 1e-9) else idle + 1
        lowest = min(lowest, reached)
    return labels_of(problem._replace(groups=make_groups(problem.X, best_labels, k)))


def _anneal_run(
    problem: Problem,
    labels: Ints,
    k: int,
    deadline: float,
    fresh: bool,
    pool: GroupPool,
    generator: np.random.Generator,
) -> Ints:
    """Anneal a partition and put the groups met while it freezes into the pool."""

    def keep_snapshot(temperature: float, snapshot: Ints) -> None:
        if temperature < _SNAPSHOTS_BELOW:
            pool.add(snapshot)

    run = problem._replace(groups=make_groups(problem.X, labels, k))
    cool(run, k, None, deadline, _HOTTEST if fresh else _REHEATED, _COLDEST, generator, keep_snapshot)
    descend(run, k, np.iinfo(np.int64).max, np.inf)
    return run.groups.label
