"""Partners for rank swapping: positions in rank order, exchanged in pairs at most w apart."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled


@compiled
def partners_argus(uniforms: Floats, w: int) -> Ints:
    """Partner of each rank position (itself: none) as mu-Argus pairs them.

    From the first free position i on, a target t is drawn among the w next positions (the last one stands
    for those beyond the end); if taken, the nearest free position on its left, then on its right, is used.
    """
    n = len(uniforms)
    partner = np.arange(n)
    left = np.arange(n + 1)  # position p is free when left[p + 1] is p + 1; shifted by one, 0 is the wall
    right = np.arange(n + 1)  # nearest free position to the right, n is the wall
    for i in range(n):
        if partner[i] != i or w == 0:
            continue
        t = i + 1 + min(int(uniforms[i] * w), w - 1)
        j = min(t, n - 1)
        found = _root(left, j + 1) - 1
        if found <= i and t < n:
            found = _root(right, t)
            if found > min(i + w, n - 1):
                found = i
        if found > i:
            partner[i] = found
            partner[found] = i
            left[found + 1] = found
            right[found] = found + 1
        left[i + 1] = i
        right[i] = i + 1
    return partner


@compiled
def _root(parent: Ints, p: int) -> int:
    top = p
    while parent[top] != top:
        top = parent[top]
    while parent[p] != top:
        step = parent[p]
        parent[p] = top
        p = step
    return top


@compiled
def partners_uniform(uniforms: Floats, w: int) -> Ints:
    """Partner of each rank position (itself: none), uniform among the free ones of the w next positions."""
    n = len(uniforms)
    partner = np.arange(n)
    tree = np.zeros(n + 1, dtype=np.int64)  # Fenwick tree of free positions
    for p in range(1, n + 1):
        tree[p] += 1
        above = p + (p & -p)
        if above <= n:
            tree[above] += tree[p]
    highest = 1
    while 2 * highest <= n:
        highest *= 2
    for i in range(n):
        if partner[i] != i or w == 0:
            continue
        before = _prefix(tree, i + 1)
        free = _prefix(tree, min(i + 1 + w, n)) - before
        if free > 0:
            found = _select(tree, highest, before + 1 + min(int(uniforms[i] * free), free - 1))
            partner[i] = found
            partner[found] = i
            _remove(tree, found + 1)
        _remove(tree, i + 1)
    return partner


@compiled
def _prefix(tree: Ints, p: int) -> int:
    total = 0
    while p > 0:
        total += tree[p]
        p -= p & -p
    return total


@compiled
def _select(tree: Ints, highest: int, rank: int) -> int:
    """The position (from 0) of the free place number `rank` (from 1)."""
    position = 0
    step = highest
    while step > 0:
        if position + step < len(tree) and tree[position + step] < rank:
            position += step
            rank -= tree[position]
        step //= 2
    return position


@compiled
def _remove(tree: Ints, p: int) -> None:
    while p < len(tree):
        tree[p] -= 1
        p += p & -p
