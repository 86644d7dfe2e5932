"""MDAV by full scans on compact column-major arrays.

Use it for small files and as the reference of the indexed engine. Reference: Domingo-Ferrer & Torra (2005),
Ordinal, continuous and heterogeneous k-anonymity through microaggregation, Data Mining and Knowledge Discovery 11.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import add_to_sums, insert_nearest, padded, squared_distances, start_sums


def mdav_plain(X: Floats, k: int) -> Ints:
    """Groups of k (the last one k to 2k-1) in order of formation, by the exact MDAV heuristic.

    X is standardised, complete and C-contiguous; ties go to the lowest row index; k = 1 gives singletons.
    """
    n = X.shape[0]
    if k < 2:
        return np.arange(n)
    labels = np.full(n, -1)
    label, _ = scan_rounds(X, k, labels, start_sums(X), 0, n, n)
    labels[labels < 0] = label
    return labels


@compiled
def scan_rounds(X: Floats, k: int, labels: Ints, sums: Floats, label: int, left: int, rounds: int) -> tuple[int, int]:
    """Form groups among the `left` records whose label is negative, for some rounds; the next label and what is left.

    A round makes two groups, the last one a single group; `sums` are the running sums of the records left.
    """
    d = X.shape[1]
    rows = np.flatnonzero(labels < 0)
    blocks = np.zeros((1, padded(d), left))
    for i in range(left):
        for j in range(d):
            blocks[0, j, i] = X[rows[i], j]
    point = np.zeros(padded(d))
    distances = np.empty(left)
    nearest = np.empty(k)
    members = np.empty(k, dtype=np.int64)
    held = left
    while left >= 2 * k and rounds > 0:
        rounds -= 1
        held = _drop_grouped(blocks, rows, held, left)
        point[:d] = sums[0] / left
        squared_distances(blocks, 0, point, held, distances)
        r = _farthest(distances, held)
        point[:d] = X[rows[r]]
        squared_distances(blocks, 0, point, held, distances)
        distances[r] = np.nan
        s = _farthest(distances, held) if left >= 3 * k else -1
        _take_group(X, blocks, rows, distances, held, r, s, label, labels, sums, nearest, members)
        left -= k
        label += 1
        if s >= 0:
            point[:d] = X[rows[s]]
            squared_distances(blocks, 0, point, held, distances)
            _take_group(X, blocks, rows, distances, held, s, -1, label, labels, sums, nearest, members)
            left -= k
            label += 1
    return label, left


@compiled
def _farthest(distances: Floats, held: int) -> int:
    """First place of the largest distance; grouped records have NaN, which never compares as larger."""
    best = -1
    largest = -1.0
    for i in range(held):
        if distances[i] > largest:
            largest = distances[i]
            best = i
    return best


@compiled
def _take_group(
    X: Floats,
    blocks: Floats,
    rows: Ints,
    distances: Floats,
    held: int,
    seed: int,
    spare: int,
    label: int,
    labels: Ints,
    sums: Floats,
    nearest: Floats,
    members: Ints,
) -> None:
    """Group the record at place `seed` with its k-1 nearest, never the one at place `spare`, and mark them grouped."""
    size = nearest.shape[0] - 1
    nearest[:] = np.inf
    members[:] = held
    distances[seed] = np.nan
    if spare >= 0:
        distances[spare] = np.nan
    for i in range(held):
        if distances[i] <= nearest[size - 1]:
            insert_nearest(nearest, members, size, distances[i], i)
    members[size] = seed
    for m in range(size + 1):
        place = members[size - m]
        labels[rows[place]] = label
        add_to_sums(sums, X[rows[place]], -1.0)
        blocks[0, 0, place] = np.nan


@compiled
def _drop_grouped(blocks: Floats, rows: Ints, held: int, left: int) -> int:
    """Close the gaps of grouped records once they are a sixteenth of those held, keeping the row order."""
    if held - left < held // 16 + 1 and left > 64:
        return held
    place = 0
    for i in range(held):
        if not np.isnan(blocks[0, 0, i]):
            rows[place] = rows[i]
            for j in range(blocks.shape[1]):
                blocks[0, j, place] = blocks[0, j, i]
            place += 1
    return place
