"""A partition as arrays that a compiled local search can change record by record."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints, SmallInts
from microveil.core.compiling import compiled, inlined


class Groups(NamedTuple):
    """A partition with the members, size and centroid of its groups 0, ..., number[0] - 1."""

    label: Ints  # the group of each record
    place: Ints  # where the record stands in its group's row of `members`
    members: Ints
    size: Ints
    centroid: Floats
    number: Ints  # of groups, the only entry


@compiled
def make_groups(X: Floats, labels: Ints, k: int) -> Groups:
    """The groups of `labels`, which are 0, 1, ... without gaps; room is kept for all n // k groups."""
    n, d = X.shape
    count = labels.max() + 1
    room = max(count, n // k) + 1
    size = np.zeros(room, np.int64)
    for i in range(n):
        size[labels[i]] += 1
    members = np.empty((room, max(2 * k, size.max() + 1)), np.int64)
    place = np.empty(n, np.int64)
    size[:] = 0
    for i in range(n):
        g = labels[i]
        place[i] = size[g]
        members[g, size[g]] = i
        size[g] += 1
    groups = Groups(labels.copy(), place, members, size, np.zeros((room, d)), np.full(1, count))
    recentre(X, groups)
    return groups


@compiled
def recentre(X: Floats, groups: Groups) -> None:
    """Compute all centroids afresh, so that rounding errors of the updates cannot pile up."""
    for g in range(groups.number[0]):
        for f in range(X.shape[1]):
            total = 0.0
            for p in range(groups.size[g]):
                total += X[groups.members[g, p], f]
            groups.centroid[g, f] = total / groups.size[g]


@inlined
def squared_distance(X: Floats, groups: Groups, i: int, g: int) -> float:
    """Squared distance of record i to the centroid of group g."""
    d = X.shape[1]
    even = 0.0
    odd = 0.0
    # two sums, so that one addition need not wait for the other
    for f in range(0, d - 1, 2):
        u = X[i, f] - groups.centroid[g, f]
        v = X[i, f + 1] - groups.centroid[g, f + 1]
        even += u * u
        odd += v * v
    if d % 2 == 1:
        u = X[i, d - 1] - groups.centroid[g, d - 1]
        even += u * u
    return even + odd


@compiled
def within_sse(X: Floats, groups: Groups) -> float:
    """The sum of squared distances of the records to the centroid of their group."""
    total = 0.0
    for i in range(X.shape[0]):
        total += squared_distance(X, groups, i, groups.label[i])
    return total


@inlined
def cost_of_joining(X: Floats, groups: Groups, i: int, g: int) -> float:
    """How much the SSE grows when record i joins group g: n_g / (n_g + 1) times the squared distance."""
    size = groups.size[g]
    return float(squared_distance(X, groups, i, g) * size / (size + 1))


@inlined
def gain_of_leaving(X: Floats, groups: Groups, i: int) -> float:
    """How much the SSE falls when record i leaves its group: n_g / (n_g - 1) times the squared distance."""
    size = groups.size[groups.label[i]]
    return float(squared_distance(X, groups, i, groups.label[i]) * size / (size - 1))


@inlined
def change_by_swap(X: Floats, groups: Groups, i: int, j: int) -> float:
    """The change of the SSE when records i and j of two groups a and b change places.

    With D = x_j - x_i it is -2 D'(c_a - c_b) - D'D (1/n_a + 1/n_b).
    """
    a = groups.label[i]
    b = groups.label[j]
    d = X.shape[1]
    along_even = 0.0
    along_odd = 0.0
    square_even = 0.0
    square_odd = 0.0
    for f in range(0, d - 1, 2):
        u = X[j, f] - X[i, f]
        v = X[j, f + 1] - X[i, f + 1]
        along_even += u * (groups.centroid[a, f] - groups.centroid[b, f])
        along_odd += v * (groups.centroid[a, f + 1] - groups.centroid[b, f + 1])
        square_even += u * u
        square_odd += v * v
    if d % 2 == 1:
        u = X[j, d - 1] - X[i, d - 1]
        along_even += u * (groups.centroid[a, d - 1] - groups.centroid[b, d - 1])
        square_even += u * u
    share = 1.0 / groups.size[a] + 1.0 / groups.size[b]
    return float(-2.0 * (along_even + along_odd) - (square_even + square_odd) * share)


@inlined
def join(X: Floats, groups: Groups, i: int, g: int) -> None:
    """Put record i, which is in no group, into group g."""
    size = groups.size[g]
    groups.members[g, size] = i
    groups.place[i] = size
    groups.label[i] = g
    groups.size[g] = size + 1
    weight = 1.0 / (size + 1)
    for f in range(X.shape[1]):
        groups.centroid[g, f] += (X[i, f] - groups.centroid[g, f]) * weight


@inlined
def leave(X: Floats, groups: Groups, i: int) -> None:
    """Take record i out of its group; its label is stale until it joins another."""
    g = groups.label[i]
    size = groups.size[g] - 1
    last = groups.members[g, size]
    groups.members[g, groups.place[i]] = last
    groups.place[last] = groups.place[i]
    groups.size[g] = size
    weight = 1.0 / max(size, 1)
    for f in range(X.shape[1]):
        groups.centroid[g, f] += (groups.centroid[g, f] - X[i, f]) * weight


@inlined
def swap(X: Floats, groups: Groups, i: int, j: int) -> None:
    """Let records i and j of two groups change places."""
    a = groups.label[i]
    b = groups.label[j]
    place = groups.place[i]
    groups.members[a, place] = j
    groups.members[b, groups.place[j]] = i
    groups.place[i] = groups.place[j]
    groups.place[j] = place
    groups.label[i] = b
    groups.label[j] = a
    weight_a = 1.0 / groups.size[a]
    weight_b = 1.0 / groups.size[b]
    for f in range(X.shape[1]):
        step = X[j, f] - X[i, f]
        groups.centroid[a, f] += step * weight_a
        groups.centroid[b, f] -= step * weight_b


@compiled
def dissolve(X: Floats, groups: Groups, neighbours: SmallInts, k: int, a: int, limit: float) -> bool:
    """Dissolve group a of size k into neighbouring groups with room if the SSE changes by at most `limit`.

    Every member goes to the group of one of its neighbours where it costs least. True if done.
    """
    if groups.size[a] != k or groups.number[0] < 2:
        return False
    change = 0.0
    for p in range(k):
        change -= squared_distance(X, groups, groups.members[a, p], a)
    moved = 0
    while moved < k and change <= limit:
        i = groups.members[a, moved]
        best = -1
        lowest = np.inf
        for q in range(neighbours.shape[1]):
            g = groups.label[neighbours[i, q]]
            if g != a and g != best and groups.size[g] < 2 * k - 1:
                cost = cost_of_joining(X, groups, i, g)
                if cost < lowest:
                    lowest = cost
                    best = g
        if best < 0:
            break
        # the row of `a` keeps listing its members, so that this can be undone
        join(X, groups, i, best)
        change += lowest
        moved += 1
    if moved == k and change <= limit:
        _remove_group(groups, a)
        return True
    for p in range(moved - 1, -1, -1):
        i = groups.members[a, p]
        leave(X, groups, i)
        groups.label[i] = a
        groups.place[i] = p
    return False


@compiled
def _remove_group(groups: Groups, a: int) -> None:
    """Give the last group the number of the emptied group a."""
    last = groups.number[0] - 1
    if a != last:
        for p in range(groups.size[last]):
            i = groups.members[last, p]
            groups.members[a, p] = i
            groups.label[i] = a
        groups.size[a] = groups.size[last]
        groups.centroid[a] = groups.centroid[last]
    groups.size[last] = 0
    groups.number[0] = last


@compiled
def found_group(X: Floats, groups: Groups, neighbours: SmallInts, k: int, i: int, limit: float) -> bool:
    """Found a new group of record i and k - 1 neighbours if the SSE changes by at most `limit`.

    Only groups of more than k records give one away. True if done.
    """
    g = groups.number[0]
    if g == groups.size.shape[0] or groups.size[groups.label[i]] == k:
        return False
    origin = np.empty(k, np.int64)
    groups.size[g] = 0
    groups.centroid[g] = 0.0
    change = 0.0
    taken = 0
    for q in range(-1, neighbours.shape[1]):
        j = i if q < 0 else neighbours[i, q]
        if groups.size[groups.label[j]] > k:
            change -= gain_of_leaving(X, groups, j)
            origin[taken] = groups.label[j]
            leave(X, groups, j)
            # no second visit: the new group holds at most k records until it is complete
            join(X, groups, j, g)
            taken += 1
            if taken == k:
                break
    for p in range(taken):
        change += squared_distance(X, groups, groups.members[g, p], g)
    if taken == k and change <= limit:
        groups.number[0] = g + 1
        return True
    for p in range(taken - 1, -1, -1):
        join(X, groups, groups.members[g, p], origin[p])
    groups.size[g] = 0
    return False
