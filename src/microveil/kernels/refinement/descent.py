"""Local search on a partition: the loss of any partition lowered, no group below k or above 2k - 1."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, SmallInts
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.refinement.groups import (
    Groups,
    change_by_swap,
    cost_of_joining,
    dissolve,
    found_group,
    gain_of_leaving,
    join,
    leave,
    make_groups,
    recentre,
    swap,
    within_sse,
)
from microveil.kernels.refinement.neighbours import near_records
from microveil.kernels.search.blocks import cut_at_medians, order_in_blocks

_LEAF = 64  # records laid side by side in memory
_BATCH = 10_000  # records visited between two looks at the clock
# a gain must exceed these shares of the mean squared distance to the centroid and to the origin:
# below them it may be a rounding error, and the search could go round in circles
_TINY = 1e-10
_ROUNDING = 1e-13


class Problem(NamedTuple):
    """Records laid out so that near records are near in memory, with their neighbours and groups."""

    X: Floats
    order: Ints  # row of the caller's data each record came from
    neighbours: SmallInts
    groups: Groups
    least: float  # smallest gain worth a move


def refine(
    X: Floats,
    labels: Ints,
    k: int,
    *,
    moves: int | None = None,
    seconds: float | None = None,
    neighbours: int = 10,
    generator: np.random.Generator,
) -> Ints:
    """Lower the SSE of a partition by local search until nothing helps or a budget is spent.

    Records move to, or swap with records of, the groups of their near records; groups of k records are
    dissolved into their neighbours and new ones founded from groups with records to spare; groups of
    2k and more are split first. The SSE never rises and every group ends with k to 2k - 1 records.
    With a budget of `moves` (changes made) or none, the result depends on the arguments and the
    generator only; with `seconds` of CPU time, also on the speed of the machine.
    Reference: hill climbing as for the minimum sum-of-squares problem (Hartigan & Wong 1979), with sizes bounded.
    """
    if X.shape[0] < 2 * k:
        return one_group(X, labels, k)
    start = time.thread_time()
    problem = lay_out(X, labels, k, neighbours, generator)
    left = np.iinfo(np.int64).max if moves is None else moves
    descend(problem, k, left, np.inf if seconds is None else start + seconds)
    return labels_of(problem)


def one_group(X: Floats, labels: Ints, k: int) -> Ints:
    """The only partition there is of fewer than 2k records."""
    check_partition(X, labels, k)
    return np.zeros(X.shape[0], np.int64)


def check_partition(X: Floats, labels: Ints, k: int) -> None:
    """Refuse labels that are no partition of the records into groups of at least k."""
    if k < 1:
        raise BadInput(f"k must be 1 or more; {k} was given")
    if X.shape[0] < k:
        raise NotEnoughRecords(f"{X.shape[0]} records are fewer than k={k}; give at least k")
    if labels.shape != X.shape[:1]:
        raise BadInput(f"{labels.size} labels for {X.shape[0]} records; give one label per record")
    if labels.min() < 0 or labels.max() >= labels.size:
        raise BadInput(
            f"labels run from {labels.min()} to {labels.max()}; number the groups within 0..{labels.size - 1}"
        )
    size = np.bincount(labels)
    smallest = size[size > 0].min()
    if smallest < k:
        raise BadInput(f"the smallest group to start from has {smallest} records; give groups of at least k={k}")


def lay_out(X: Floats, labels: Ints, k: int, neighbours: int, generator: np.random.Generator) -> Problem:
    """The records in spatial order, so that the search finds neighbours in the cache, and their groups."""
    check_partition(X, labels, k)
    order, _ = order_in_blocks(X, _LEAF)
    sorted_X = np.ascontiguousarray(X[order])
    near = near_records(sorted_X, neighbours, generator)
    groups = make_groups(sorted_X, split_large(sorted_X, number_groups(labels[order]), k), k)
    squares = _TINY * within_sse(sorted_X, groups) + _ROUNDING * float(np.vdot(sorted_X, sorted_X))
    least = max(squares / X.shape[0], float(np.finfo(np.float64).tiny))
    return Problem(sorted_X, order, near, groups, least)


def labels_of(problem: Problem) -> Ints:
    """The labels in the caller's order of records, numbered by first appearance."""
    labels = np.empty_like(problem.order)
    labels[problem.order] = problem.groups.label
    return number_groups(labels)


@compiled
def number_groups(labels: Ints) -> Ints:
    """The same partition with groups numbered 0, 1, ... by first appearance."""
    number = np.full(labels.max() + 1, -1, np.int64)
    numbered = np.empty_like(labels)
    groups = 0
    for i in range(labels.shape[0]):
        if number[labels[i]] < 0:
            number[labels[i]] = groups
            groups += 1
        numbered[i] = number[labels[i]]
    return numbered


def split_large(X: Floats, labels: Ints, k: int) -> Ints:
    """Split groups of 2k and more at medians until all have k to 2k - 1 records; the SSE cannot rise."""
    size = np.bincount(labels)
    labels = labels.copy()
    groups = size.size
    for g in np.flatnonzero(size >= 2 * k):
        rows = np.flatnonzero(labels == g)
        starts = cut_at_medians(X, rows, 2 * k - 1, np.eye(X.shape[1]))
        for low, high in pairwise(starts[1:]):
            labels[rows[low:high]] = groups
            groups += 1
    return labels


def descend(problem: Problem, k: int, moves: int, deadline: float) -> int:
    """Make improving moves until none is left, `moves` are made or the CPU clock passes `deadline`.

    The number of moves made is returned.
    """
    X, _, neighbours, groups, least = problem
    n = X.shape[0]
    active = np.ones(n, np.bool_)
    made = 0
    while active.any():
        for low in range(0, n, _BATCH):
            high = min(low + _BATCH, n)
            made += _improve(X, groups, neighbours, k, active, low, high, least, moves - made)
            made += _regroup(X, groups, neighbours, k, active, low, high, least, moves - made)
            if made >= moves or time.thread_time() > deadline:
                return made
        recentre(X, groups)
    return made


@compiled
def _improve(
    X: Floats,
    groups: Groups,
    neighbours: SmallInts,
    k: int,
    active: Bools,
    low: int,
    high: int,
    least: float,
    moves: int,
) -> int:
    """Make the best move or swap of each active record in [low, high); the number made."""
    made = 0
    for i in range(low, high):
        if not active[i] or made >= moves:
            continue
        active[i] = False
        a = groups.label[i]
        spare = groups.size[a] > k
        gain = gain_of_leaving(X, groups, i) if spare else 0.0
        lowest = -least
        target = -1
        partner = -1
        seen = -1
        for q in range(neighbours.shape[1]):
            b = groups.label[neighbours[i, q]]
            if b in (a, seen):
                continue
            seen = b
            if spare and groups.size[b] < 2 * k - 1:
                change = cost_of_joining(X, groups, i, b) - gain
                if change < lowest:
                    lowest, target, partner = change, b, -1
            for p in range(groups.size[b]):
                change = change_by_swap(X, groups, i, groups.members[b, p])
                if change < lowest:
                    lowest, target, partner = change, b, groups.members[b, p]
        if target < 0:
            continue
        if partner < 0:
            leave(X, groups, i)
            join(X, groups, i, target)
        else:
            swap(X, groups, i, partner)
        made += 1
        _activate(groups, active, a)
        _activate(groups, active, target)
    return made


@compiled
def _activate(groups: Groups, active: Bools, g: int) -> None:
    """Let the members of a changed group be visited again."""
    for p in range(groups.size[g]):
        active[groups.members[g, p]] = True


@compiled
def _regroup(
    X: Floats,
    groups: Groups,
    neighbours: SmallInts,
    k: int,
    active: Bools,
    low: int,
    high: int,
    least: float,
    moves: int,
) -> int:
    """Dissolve and found groups around the records in [low, high) where that helps; the number of changes."""
    made = 0
    for i in range(low, high):
        if made >= moves:
            break
        a = groups.label[i]
        # one member speaks for its group
        if groups.place[i] == 0 and groups.size[a] == k:
            hosts = groups.members[a, :k].copy()
            if dissolve(X, groups, neighbours, k, a, -least):
                made += 1
                for p in range(k):
                    _activate(groups, active, groups.label[hosts[p]])
        elif groups.size[a] > k and found_group(X, groups, neighbours, k, i, -least):
            made += 1
            _activate(groups, active, groups.label[i])
    return made
