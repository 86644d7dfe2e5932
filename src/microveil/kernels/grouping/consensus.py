"""Several partitions of one file made into one."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.search.halving_tree import build_tree, nearest
from microveil.kernels.search.spanning import find
from microveil.kernels.tables.classes import first_rows, group_rows


def intersection(partitions: list[Ints]) -> Ints:
    """The blocks of records that all partitions keep together, numbered by their first rows."""
    labels, sizes = group_rows(np.column_stack(partitions))
    number = np.empty(len(sizes), dtype=np.int64)
    number[np.argsort(first_rows(labels, len(sizes)))] = np.arange(len(sizes))
    return number[labels]


@compiled
def merge_small(X: Floats, labels: Ints, k: int) -> Ints:
    """Blocks with fewer than k records joined to the block with the nearest centroid until all have k or more.

    In rounds: small blocks in order of size (then number) join their nearest one, as long as they are still too
    small; then centroids are taken anew.
    """
    labels = labels.copy()
    while True:
        counts = np.bincount(labels)
        small = np.flatnonzero(counts < k)
        if small.shape[0] == 0:
            return labels
        centroids = np.zeros((counts.shape[0], X.shape[1]))
        for i in range(X.shape[0]):
            centroids[labels[i]] += X[i] / counts[labels[i]]
        tree = build_tree(centroids)
        distance, near = np.empty(1), np.empty(1, dtype=np.int64)
        union = np.arange(counts.shape[0])
        for b in small[np.argsort(counts[small], kind="mergesort")]:
            mine = find(union, b)
            if counts[mine] >= k:
                continue
            nearest(tree, centroids[b], b, 1, distance, near)
            other = find(union, near[0])
            if mine != other:
                low, high = min(mine, other), max(mine, other)
                union[high] = low
                counts[low] += counts[high]
        labels = _renumbered(labels, union)


@compiled
def _renumbered(labels: Ints, union: Ints) -> Ints:
    number = np.full(union.shape[0], -1, dtype=np.int64)
    groups = 0
    for b in range(union.shape[0]):
        top = find(union, b)
        if number[top] < 0:
            number[top] = groups
            groups += 1
    return np.array([number[find(union, b)] for b in labels])
