"""Groups around seeds: V-MDAV with groups of variable size, and condensation around random records."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import squared_distance, start_sums
from microveil.kernels.grouping.orders import take_nearest
from microveil.kernels.search.halving_tree import Tree, build_tree, nearest, remove


@compiled
def vmdav(X: Floats, k: int, gamma: float) -> Ints:
    """Groups of k around the records farthest from the centroid of the file, extended while the next one is close.

    A record is taken in while its distance to the group is below gamma times its distance to the nearest other one
    left, up to 2k - 1 records. The fewer than k records left over join the group of their nearest grouped record.
    Reference: Solanas & Martinez-Balleste (2006), V-MDAV: a multivariate microaggregation with variable group size.
    """
    n = X.shape[0]
    centroid = start_sums(X)[0] / n
    away = np.array([-squared_distance(X[i], centroid) for i in range(n)])
    seeds = np.argsort(away, kind="mergesort")
    labels = np.full(n, -1, dtype=np.int64)
    tree = build_tree(X)
    group = np.empty(2 * k, dtype=np.int64)
    label = 0
    for seed in seeds:
        if tree.left[0] < k:
            break
        if labels[seed] >= 0:
            continue
        take_nearest(tree, X, seed, -1, k, group, 0)
        size = _extend(tree, X, k, gamma, group)
        labels[group[:size]] = label
        label += 1
    _join_nearest_record(X, labels)
    return labels


@compiled
def _extend(tree: Tree, X: Floats, k: int, gamma: float, group: Ints) -> int:
    """Take close records into a group of k; its new size."""
    next_to = np.full(2 * k, -1, dtype=np.int64)  # the nearest record left of each member
    distance = np.empty(2 * k)
    one, row = np.empty(1), np.empty(1, dtype=np.int64)
    size = k
    while size < 2 * k - 1 and tree.left[0] >= 2:
        best = 0
        for m in range(size):
            if next_to[m] < 0:
                nearest(tree, X[group[m]], -1, 1, distance[m : m + 1], next_to[m : m + 1])
            closer = distance[m] < distance[best]
            if closer or (distance[m] == distance[best] and next_to[m] < next_to[best]):
                best = m
        candidate = next_to[best]
        nearest(tree, X[candidate], candidate, 1, one, row)
        if np.sqrt(distance[best]) >= gamma * np.sqrt(one[0]):
            break
        remove(tree, candidate)
        group[size] = candidate
        size += 1
        for m in range(size):
            if next_to[m] == candidate:
                next_to[m] = -1
    return size


@compiled
def _join_nearest_record(X: Floats, labels: Ints) -> None:
    """Give the few records without a group that of their nearest grouped record."""
    left = np.flatnonzero(labels < 0)
    joined = np.empty_like(left)
    for u in range(left.shape[0]):
        shortest = np.inf
        for i in range(X.shape[0]):
            if labels[i] >= 0:
                distance = squared_distance(X[i], X[left[u]])
                if distance < shortest:
                    shortest = distance
                    joined[u] = labels[i]
    labels[left] = joined


@compiled
def condensation(X: Floats, k: int) -> Ints:
    """Groups of the first record left, in the given order of rows, and its k - 1 nearest.

    The fewer than k records left over join the group with the nearest centroid. Reference: Aggarwal & Yu (2004), A
    condensation approach to privacy preserving data mining.
    """
    n = X.shape[0]
    labels = np.full(n, -1, dtype=np.int64)
    tree = build_tree(X)
    group = np.empty(k, dtype=np.int64)
    sums = np.zeros((n // k, X.shape[1]))
    label = 0
    for seed in range(n):
        if labels[seed] >= 0:
            continue
        if tree.left[0] < k:
            break
        take_nearest(tree, X, seed, -1, k, group, 0)
        for i in group:
            labels[i] = label
            sums[label] += X[i]
        label += 1
    for i in np.flatnonzero(labels < 0):
        shortest = np.inf
        for g in range(label):
            distance = squared_distance(X[i], sums[g] / k)
            if distance < shortest:
                shortest = distance
                labels[i] = g
    return labels
