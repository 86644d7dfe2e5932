"""Recombination of partitions: the cheapest partition that uses only groups met before."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.kernels.refinement.descent import number_groups

_WINDOW_SECONDS = 3.0
_SURE_SECONDS = 0.5  # a region solved faster than this may grow
_FIRST_WINDOW = 120.0  # records
_BUSIEST = 5.0  # seconds of the wall clock granted at most for one second of CPU time
_PATIENCE = 40  # windows without gain before giving up


class PooledGroups(NamedTuple):
    """Groups one after the other: their records, where each group starts (and the end), and the SSE of each."""

    records: Ints
    start: Ints
    costs: Floats


class GroupPool:
    """All distinct groups seen in a set of partitions of the same records, each with its SSE."""

    def __init__(self, X: Floats) -> None:
        self.X = X
        self.costs: dict[bytes, float] = {}

    def add(self, labels: Ints) -> None:
        """Add the groups of a partition."""
        order = np.argsort(labels, kind="stable").astype(np.int32)
        ends = np.cumsum(np.bincount(labels))
        costs = group_costs(self.X, labels)
        for low, high, cost in zip(np.append(0, ends[:-1]), ends, costs, strict=True):
            self.costs.setdefault(order[low:high].tobytes(), cost)

    def columns(self) -> PooledGroups:
        """All groups one after the other."""
        records = np.frombuffer(b"".join(self.costs), np.int32).astype(np.int64)
        sizes = np.array([len(group) // 4 for group in self.costs])
        return PooledGroups(records, np.append(0, np.cumsum(sizes)), np.array(list(self.costs.values())))


def group_costs(X: Floats, labels: Ints) -> Floats:
    """The SSE of each group 0, 1, ..."""
    size = np.bincount(labels)
    costs = np.zeros(size.size)
    for f in range(X.shape[1]):
        centre = np.bincount(labels, X[:, f]) / size
        costs += np.bincount(labels, (X[:, f] - centre[labels]) ** 2)
    return costs


def recombine(pool: GroupPool, labels: Ints, deadline: float, generator: np.random.Generator) -> Ints:
    """Improve a partition with the groups of the pool, one region of the data after the other.

    The groups around a random record are replaced by the cheapest set of pool groups that partitions
    the same records: a set partitioning problem, solved by branch and bound. The region grows while
    that is fast and shrinks when it is not. The SSE never rises; it ends at `deadline` of the CPU clock.
    Reference: set partitioning over columns met by a heuristic (Foster & Ryan 1976; Rochat & Taillard 1995).
    """
    X = pool.X
    pool.add(labels)
    columns = pool.columns()
    window = _FIRST_WINDOW
    pace = 1.0
    failures = 0
    while failures < _PATIENCE and time.thread_time() < deadline:
        inside = _choose_region(X, labels, int(window), generator)
        begin, wall_begin = time.thread_time(), time.perf_counter()
        limit = max(min(deadline - begin, _WINDOW_SECONDS), 0.05)
        # the solver reads the wall clock, which runs faster than the CPU clock on a busy machine
        better, proven = _solve_region(X, labels, inside, columns, limit * pace)
        spent = time.thread_time() - begin
        pace = min(max((time.perf_counter() - wall_begin) / max(spent, 1e-3), 1.0), _BUSIEST)
        failures = failures + 1 if better is None else 0
        if better is not None:
            labels = better
        if proven and inside.all():
            break
        if not proven:
            window = max(0.7 * window, _FIRST_WINDOW / 4)
        elif spent < _SURE_SECONDS:
            window = min(1.3 * window, float(labels.size))
    return labels


def _choose_region(X: Floats, labels: Ints, records: int, generator: np.random.Generator) -> Bools:
    """The groups nearest to a random record that together hold about so many records."""
    size = np.bincount(labels)
    centre = np.column_stack([np.bincount(labels, X[:, f]) / size for f in range(X.shape[1])])
    near = np.argsort(((centre - X[generator.integers(labels.size)]) ** 2).sum(axis=1), kind="stable")
    chosen = np.zeros(size.size, np.bool_)
    chosen[near[: int(np.searchsorted(np.cumsum(size[near]), records)) + 1]] = True
    return chosen[labels]


def _solve_region(
    X: Floats, labels: Ints, inside: Bools, columns: PooledGroups, seconds: float
) -> tuple[Ints | None, bool]:
    """A better partition of the records inside, or None, and whether it is proven that no better one exists."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array

    records, starts, costs = columns
    usable = np.flatnonzero(np.add.reduceat(inside[records], starts[:-1], dtype=np.int64) == np.diff(starts))
    rows = np.flatnonzero(inside)
    row_of = np.cumsum(inside) - 1
    sizes = np.diff(starts)[usable]
    ends = np.append(0, np.cumsum(sizes))
    entries = np.repeat(starts[usable] - ends[:-1], sizes) + np.arange(ends[-1])
    matrix = csc_array((np.ones(ends[-1]), row_of[records[entries]], ends), shape=(rows.size, usable.size))
    answer = milp(
        costs[usable],
        constraints=LinearConstraint(matrix, 1, 1),
        bounds=Bounds(0, 1),
        integrality=np.ones(usable.size),
        options={"time_limit": seconds, "mip_rel_gap": 1e-6},
    )
    before = group_costs(X, labels)[np.unique(labels[rows])].sum()
    if answer.x is None or answer.fun >= before * (1 - 1e-9):
        return None, answer.status == 0
    labels = labels.copy()
    groups = int(labels.max()) + 1
    for g in usable[answer.x > 0.5]:
        labels[records[starts[g] : starts[g + 1]]] = groups
        groups += 1
    return number_groups(labels), answer.status == 0
