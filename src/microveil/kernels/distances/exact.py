"""What every MDAV engine shares, so that all of them compute the same floating-point numbers.

Squared distances are summed attribute by attribute in column order, without fused multiply-add; centroids come
from compensated running sums; candidates are ordered by (distance, row index). Engines built on these three
rules give identical labels, ties included.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import AnyFloats, Floats, Ints
from microveil.core.compiling import compiled, inlined


@compiled
def padded(d: int) -> int:
    """The next multiple of four: attributes are padded with zeros to it, which changes no sum."""
    return (d + 3) // 4 * 4


@inlined
def squared_distances(blocks: AnyFloats, b: int, point: AnyFloats, count: int, out: AnyFloats) -> None:
    """Squared distances from a padded point to the first `count` records of block b, as blocks[b, attribute, record].

    Four attributes per pass save loads and stores; the additions keep the order of the columns.
    """
    p0, p1, p2, p3 = point[0], point[1], point[2], point[3]
    for i in range(count):
        t0 = blocks[b, 0, i] - p0
        t1 = blocks[b, 1, i] - p1
        t2 = blocks[b, 2, i] - p2
        t3 = blocks[b, 3, i] - p3
        out[i] = ((t0 * t0 + t1 * t1) + t2 * t2) + t3 * t3
    for j in range(4, point.shape[0], 4):
        p0, p1, p2, p3 = point[j], point[j + 1], point[j + 2], point[j + 3]
        for i in range(count):
            t0 = blocks[b, j, i] - p0
            t1 = blocks[b, j + 1, i] - p1
            t2 = blocks[b, j + 2, i] - p2
            t3 = blocks[b, j + 3, i] - p3
            out[i] = (((out[i] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3


@inlined
def squared_distance(x: Floats, y: Floats) -> float:
    """Squared distance of two records, bit for bit what `squared_distances` gives."""
    total = 0.0
    for j in range(x.shape[0]):
        t = x[j] - y[j]
        total += t * t
    return total


@compiled
def add_to_sums(sums: Floats, x: Floats, sign: float) -> None:
    """Add sign * x to the running sums, kept as high part sums[0] and low part sums[1].

    Two-sum of Knuth; Dekker's renormalisation. The error of n updates is of the order n * 1e-32, so the centroid does
    not depend on the order in which records leave.
    """
    for j in range(x.shape[0]):
        value = sign * x[j]
        high = sums[0, j]
        total = high + value
        part = total - high
        error = (high - (total - part)) + (value - part)
        low = sums[1, j] + error
        sums[0, j] = total + low
        sums[1, j] = low - (sums[0, j] - total)


@compiled
def start_sums(X: Floats) -> Floats:
    """Compensated column sums of all records."""
    sums = np.zeros((2, X.shape[1]))
    for i in range(X.shape[0]):
        add_to_sums(sums, X[i], 1.0)
    return sums


@compiled
def insert_nearest(nearest: Floats, rows: Ints, size: int, distance: float, row: int) -> None:
    """Insert a candidate into the first `size` places of a list sorted by (distance, row); the last one drops out."""
    i = size - 1
    if distance > nearest[i] or (distance == nearest[i] and row > rows[i]):
        return
    while i > 0 and (nearest[i - 1] > distance or (nearest[i - 1] == distance and rows[i - 1] > row)):
        nearest[i] = nearest[i - 1]
        rows[i] = rows[i - 1]
        i -= 1
    nearest[i] = distance
    rows[i] = row
