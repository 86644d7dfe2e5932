"""Model-based hierarchical clustering: the start of a mixture fit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled

_LOG_2 = float(np.log(2.0))
_SLACK = 1e-9  # more than rounding makes of the logarithm of an average, and of the terms beside it
_ROUNDING = 1e-14  # a pivot below this part of its variance is zero


class Groups(NamedTuple):
    """Sizes, means and scatter matrices of groups, their parts of the criterion, and what it adds to all traces."""

    counts: Floats
    means: Floats
    scatters: Floats
    traces: Floats  # of the scatter matrices
    terms: Floats
    extra: float


def model_based_partitions(X: Floats, most: int) -> Ints:
    """Partitions into 1, 2, ..., `most` groups (columns) by agglomeration, each numbered by first appearance.

    Equal records are one group from the start. Then the two groups are merged that raise least the sum over groups
    of n log(det(W/n) + (tr W + a)/n), W the scatter of a group of n records and a the average variance: the
    classification likelihood of normal groups with covariances of their own, kept finite for small groups. Groups of
    no more records than columns count their trace only. Ties: the lowest places. Quadratic time, memory of one
    scatter matrix per record. Reference: Fraley 1998.
    """
    labels = _by_appearance(np.unique(X, axis=0, return_inverse=True)[1].reshape(-1))
    groups = int(labels.max()) + 1
    merges = _agglomerated(np.ascontiguousarray(X), labels, groups)
    out = np.empty((len(X), most), dtype=np.int64)
    parent = np.arange(groups)
    out[:, groups - 1 :] = labels[:, None]  # fewer different records than groups asked for
    for left in range(groups - 1, 0, -1):
        kept, gone = merges[groups - left - 1]
        parent[parent == gone] = kept
        if left <= most:
            out[:, left - 1] = _by_appearance(parent[labels])
    return out


def _by_appearance(labels: Ints) -> Ints:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse.reshape(-1)], dtype=np.int64)


@compiled
def _agglomerated(X: Floats, labels: Ints, groups: int) -> Ints:
    """The merges in order: number of the group that stays (the lower one), number of the one that goes.

    Every group remembers its best merge with one of a higher number; only those a merge touches look again.
    """
    state = _groups_of_equals(X, labels, groups)
    work = np.empty((X.shape[1], X.shape[1]))
    alive = np.arange(groups)
    nearest, rise = np.zeros(groups, dtype=np.int64), np.full(groups, np.inf)
    for i in range(groups - 1):
        _find_nearest(state, alive, i, groups, nearest, rise, work)
    merges = np.empty((max(groups - 1, 0), 2), dtype=np.int64)
    for step in range(groups - 1):
        left = groups - step
        kept = alive[0]
        for i in range(1, left - 1):
            if rise[alive[i]] < rise[kept]:
                kept = alive[i]
        gone = nearest[kept]
        merges[step, 0], merges[step, 1] = kept, gone
        _merge(state, kept, gone, work)
        left = _without(alive, left, gone)
        for i in range(left - 1):
            g = alive[i]
            if g == kept or nearest[g] == kept or nearest[g] == gone:
                _find_nearest(state, alive, i, left, nearest, rise, work)
            elif g < kept and _may_rise_less(state, g, kept, rise[g]):
                d = _rise(state, g, kept, work)
                if d < rise[g]:
                    rise[g], nearest[g] = d, kept
    return merges


@compiled
def _groups_of_equals(X: Floats, labels: Ints, groups: int) -> Groups:
    n, p = X.shape
    counts, means, centre = np.zeros(groups), np.empty((groups, p)), np.zeros(p)
    for i in range(n):
        counts[labels[i]] += 1.0
        means[labels[i]] = X[i]
        centre += X[i] / n
    total = 0.0
    for i in range(n):
        for a in range(p):
            total += (X[i, a] - centre[a]) ** 2
    extra = total / (n * p)
    return Groups(counts, means, np.zeros((groups, p, p)), np.zeros(groups), counts * np.log(extra / counts), extra)


@compiled
def _find_nearest(state: Groups, alive: Ints, i: int, left: int, nearest: Ints, rise: Floats, work: Floats) -> None:
    """The best merge of a group with one behind it."""
    g = alive[i]
    rise[g] = np.inf
    for j in range(i + 1, left):
        if _may_rise_less(state, g, alive[j], rise[g]):
            d = _rise(state, g, alive[j], work)
            if d < rise[g]:
                rise[g], nearest[g] = d, alive[j]


@compiled
def _may_rise_less(state: Groups, g: int, h: int, least: float) -> bool:
    """Whether merging two groups can raise the criterion by less: most pairs are told apart by their traces.

    A group's part of the criterion is no less than its size times the logarithm of its average, and that is no less
    than the straight line between powers of two, which costs no logarithm.
    """
    size = state.counts[g] + state.counts[h]
    share = state.counts[g] * state.counts[h] / size
    trace = 0.0
    for a in range(state.means.shape[1]):
        apart = state.means[g, a] - state.means[h, a]
        trace += share * apart * apart
    average = (state.traces[g] + state.traces[h] + trace + state.extra) / size
    # the bits of a double as a whole number: its exponent, and behind the point its digits
    line = _LOG_2 * (np.float64(average).view(np.int64) * 2.0**-52 - 1023.0)
    bound = size * (line - _SLACK) - (state.terms[g] + state.terms[h])
    return not bound >= least


@compiled
def _rise(state: Groups, g: int, h: int, work: Floats) -> float:
    """By how much the criterion rises when two groups are merged."""
    p = len(work)
    size = state.counts[g] + state.counts[h]
    share = state.counts[g] * state.counts[h] / size
    if size <= p:
        trace = 0.0
        for a in range(p):
            apart = state.means[g, a] - state.means[h, a]
            trace += state.scatters[g, a, a] + state.scatters[h, a, a] + share * apart * apart
        term = size * np.log((trace + state.extra) / size)
    else:
        for a in range(p):
            y = share * (state.means[g, a] - state.means[h, a])
            for b in range(a + 1):
                apart = state.means[g, b] - state.means[h, b]
                work[a, b] = state.scatters[g, a, b] + state.scatters[h, a, b] + y * apart
        term = _term(work, size, state.extra)
    return float(term - (state.terms[g] + state.terms[h]))


@compiled
def _term(W: Floats, size: float, extra: float) -> float:
    """A group's part of the criterion; the lower triangle of W is overwritten by its Cholesky factor."""
    p = len(W)
    trace = 0.0
    for a in range(p):
        trace += W[a, a]
    average = (trace + extra) / size
    if size <= p:
        return float(size * np.log(average))
    log_det = 0.0
    for a in range(p):
        variance = W[a, a]
        pivot = variance
        for c in range(a):
            pivot -= W[a, c] * W[a, c]
        if pivot <= _ROUNDING * variance:
            return float(size * np.log(average))
        log_det += np.log(pivot / size)
        W[a, a] = np.sqrt(pivot)
        for b in range(a + 1, p):
            y = W[b, a]
            for c in range(a):
                y -= W[b, c] * W[a, c]
            W[b, a] = y / W[a, a]
    if log_det <= 0.0:
        return float(size * np.log(np.exp(log_det) + average))
    return float(size * (np.log1p(np.exp(-log_det) * average) + log_det))


@compiled
def _merge(state: Groups, kept: int, gone: int, work: Floats) -> None:
    size = state.counts[kept] + state.counts[gone]
    share = state.counts[kept] * state.counts[gone] / size
    apart = state.means[gone] - state.means[kept]
    state.scatters[kept] += state.scatters[gone] + share * np.outer(apart, apart)
    state.means[kept] += apart * (state.counts[gone] / size)
    state.counts[kept] = size
    state.traces[kept] = np.trace(state.scatters[kept])
    work[:] = state.scatters[kept]
    state.terms[kept] = _term(work, size, state.extra)


@compiled
def _without(alive: Ints, left: int, gone: int) -> int:
    at = np.searchsorted(alive[:left], gone)
    alive[at : left - 1] = alive[at + 1 : left].copy()
    return left - 1
