"""Balanced spatial blocks: the scale of tens of millions of records for methods that cost more than n log n."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput, NotEnoughRecords

_SAMPLE = 256  # records looked at to choose the axis to cut


@compiled
def _along(X: Floats, i: int, axis: Floats) -> float:
    """The coordinate of record i along an axis."""
    coordinate = 0.0
    for f in range(axis.shape[0]):
        coordinate += X[i, f] * axis[f]
    return coordinate


@compiled
def _widest_axis(X: Floats, order: Ints, low: int, high: int, axes: Floats) -> int:
    """The axis of largest variance among at most about `_SAMPLE` evenly spaced records of a block."""
    stride = max((high - low) // _SAMPLE, 1)
    widest = 0
    largest = -1.0
    for a in range(axes.shape[0]):
        origin = _along(X, order[low], axes[a])
        total = 0.0
        square = 0.0
        number = 0
        for p in range(low, high, stride):
            value = _along(X, order[p], axes[a]) - origin
            total += value
            square += value * value
            number += 1
        spread = square - total * total / number
        if spread > largest:
            largest = spread
            widest = a
    return widest


@compiled
def _select(keys: Floats, order: Ints, low: int, high: int, middle: int) -> None:
    """Rearrange keys and order in [low, high) so that no key before `middle` exceeds one after it (Hoare)."""
    high -= 1
    while low < high:
        first, centre, last = keys[low], keys[(low + high) // 2], keys[high]
        pivot = max(min(first, centre), min(max(first, centre), last))
        left = low
        right = high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                order[left], order[right] = order[right], order[left]
                left += 1
                right -= 1
        if middle <= right:
            high = right
        elif middle >= left:
            low = left
        else:
            return


@compiled
def cut_at_medians(X: Floats, order: Ints, size: int, axes: Floats) -> Ints:
    """Rearrange `order` into blocks of at most `size` records by halving along the widest of the axes.

    Where each block starts, and the end of the last, is returned.
    """
    n = order.shape[0]
    keys = np.empty(n)
    starts = np.empty(2 * (n // size) + 3, np.int64)
    blocks = 0
    stack = np.empty((128, 2), np.int64)
    stack[0] = (0, n)
    depth = 1
    while depth > 0:
        depth -= 1
        low, high = stack[depth]
        if high - low <= size:
            starts[blocks] = low
            blocks += 1
            continue
        axis = axes[_widest_axis(X, order, low, high, axes)]
        for p in range(low, high):
            keys[p] = _along(X, order[p], axis)
        middle = (low + high) // 2
        _select(keys, order, low, high, middle)
        stack[depth] = (middle, high)
        stack[depth + 1] = (low, middle)
        depth += 2
    starts[blocks] = n
    return starts[: blocks + 1]


def order_in_blocks(X: Floats, size: int) -> tuple[Ints, Ints]:
    """The records in the order of their spatial blocks, and where each block starts (and the last ends).

    Blocks are halves of halves by median cuts of the widest column. Each of several holds half of `size` or more, their
    numbers follow space (near numbers, near blocks), and the time grows as n log n (Friedman, Bentley & Finkel 1977).
    """
    order = np.arange(X.shape[0], dtype=np.int64)
    starts = cut_at_medians(np.ascontiguousarray(X), order, size, np.eye(X.shape[1]))
    return order, starts


def label_blocks(X: Floats, k: int, size: int, partition_function: Callable[[Floats, int], Ints]) -> Ints:
    """Partition each spatial block by itself with `partition_function(X, k) -> labels`, no group below k.

    Use it where a partition costs more than n log n: with blocks of fixed size the whole is near-linear.
    Groups never cross a border, which costs some information; `refine` afterwards works across borders.
    """
    n = X.shape[0]
    if n < k:
        raise NotEnoughRecords(f"{n} records are fewer than k={k}; give at least k")
    if size < 2 * k:
        raise BadInput(f"size={size} is below 2k={2 * k}: halves of a block could fall below k={k}")
    order, starts = order_in_blocks(X, size)
    labels = np.empty(n, np.int64)
    groups = 0
    for low, high in pairwise(starts):
        part = partition_function(np.ascontiguousarray(X[order[low:high]]), k)
        labels[order[low:high]] = part + groups
        groups += int(part.max()) + 1
    return labels
