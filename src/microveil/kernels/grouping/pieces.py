"""Trees of records cut into pieces of at least k, and large groups split."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import squared_distance, start_sums

_FREE, _CENTRE = -1, -2


class Branches(NamedTuple):
    """What is left of the trees: links between records, and the branches at the centre of the piece being dealt out.

    `parent` is -1 where there is none or its arc is cut; children are linked lists. A branch is named by its record
    next to the centre; branches of one size are linked lists from `head[size]`, size 0 marks one that is gone.
    """

    parent: Ints
    first_child: Ints
    next_child: Ints
    size: Ints
    next_branch: Ints
    head: Ints
    stack: Ints
    origin: Ints


@compiled
def decompose(X: Floats, parent: Ints, k: int) -> Ints:
    """Cut the trees into groups of k to max(2k - 1, 3k - 5) records.

    From the leaves upwards, an arc is cut where both sides have at least k records. What cannot be cut any more and
    is still too large is a centre with branches of fewer than k records each, which are dealt out.
    """
    n = parent.shape[0]
    limit = max(2 * k - 1, 3 * k - 5)
    order = _parents_first(parent)
    piece = np.empty(n, dtype=np.int64)
    for i in order:
        piece[i] = i if parent[i] < 0 else piece[parent[i]]
    left = np.bincount(piece, minlength=n)
    kept, centre = _cut(parent, order, piece, left, k, limit)
    for i in order:
        piece[i] = i if kept[i] < 0 else piece[kept[i]]
    left = np.bincount(piece, minlength=n)
    labels = np.full(n, _FREE, dtype=np.int64)
    branches = _link(kept, k)
    label = 0
    for top in range(n):
        if left[top] > 0:
            label = _deal_out(X, branches, centre[top], left[top], k, limit, labels, label)
    return labels


@compiled
def _parents_first(parent: Ints) -> Ints:
    """All records so that each comes after the one its arc leads to."""
    n = parent.shape[0]
    order = np.empty(n, dtype=np.int64)
    children = np.zeros(n, dtype=np.int64)
    for i in range(n):
        if parent[i] >= 0:
            children[parent[i]] += 1
    placed = n
    for i in range(n):
        while children[i] == 0:
            placed -= 1
            order[placed] = i
            children[i] = -1
            if parent[i] < 0:
                break
            i = parent[i]
            children[i] -= 1
    return order


@compiled
def _cut(parent: Ints, order: Ints, tree: Ints, left: Ints, k: int, limit: int) -> tuple[Ints, Ints]:
    """The arcs that stay, and for the top of each piece a centre: no branch of it has k records if it is too large."""
    n = parent.shape[0]
    weight = np.ones(n, dtype=np.int64)  # records of a branch that are not cut off yet
    kept = parent.copy()
    centre = np.full(n, -1, dtype=np.int64)
    for u in order[::-1]:
        t = tree[u]
        if centre[t] >= 0:
            continue
        if left[t] <= limit:
            centre[t] = t
        elif weight[u] >= k and left[t] - weight[u] >= k:
            kept[u] = -1
            centre[u] = u
            left[t] -= weight[u]
        elif weight[u] >= k:
            centre[t] = u
        else:
            weight[parent[u]] += weight[u]
    return kept, centre


@compiled
def _link(parent: Ints, k: int) -> Branches:
    n = parent.shape[0]
    first_child = np.full(n, -1, dtype=np.int64)
    next_child = np.full(n, -1, dtype=np.int64)
    for i in range(n - 1, -1, -1):
        if parent[i] >= 0:
            next_child[i] = first_child[parent[i]]
            first_child[parent[i]] = i
    empty = np.zeros(n, dtype=np.int64)
    head = np.full(max(k, 2), -1, dtype=np.int64)
    return Branches(parent, first_child, next_child, empty, empty.copy(), head, empty.copy(), empty.copy())


@compiled
def _deal_out(
    X: Floats, branches: Branches, centre: int, left: int, k: int, limit: int, labels: Ints, label: int
) -> int:
    """Number the groups of one piece: the largest branches together until they have k - 1 records.

    With exactly k - 1 the centre joins them, and the branch next to it becomes the new centre. The next free label.
    """
    _add_branches(branches, centre, labels)
    while left > limit:
        total = 0
        size = k - 1
        while total < k - 1:
            branch = branches.head[size]
            if branch < 0:
                size -= 1
                continue
            branches.head[size] = branches.next_branch[branch]
            if branches.size[branch] > 0:
                _spread(branches, branch, labels, label)
                total += size
        if total == k - 1:
            labels[centre] = label
            total += 1
            centre = _nearest_branch(X, branches, centre)
            branches.size[centre] = 0
            _add_branches(branches, centre, labels)
        left -= total
        label += 1
    labels[centre] = label
    for size in range(branches.head.shape[0]):
        branch = branches.head[size]
        branches.head[size] = -1
        while branch >= 0:
            if branches.size[branch] > 0:
                _spread(branches, branch, labels, label)
            branch = branches.next_branch[branch]
    return label + 1


@compiled
def _add_branches(branches: Branches, centre: int, labels: Ints) -> None:
    """List the branches at a new centre by their size."""
    labels[centre] = _CENTRE
    branch = branches.parent[centre]
    to_come = branches.first_child[centre]
    while True:
        if branch >= 0 and labels[branch] == _FREE:
            size = _spread(branches, branch, labels, _FREE)
            # a piece small enough to stay whole may have a branch of k records or more: its size does not matter
            size = min(size, branches.head.shape[0] - 1)
            branches.size[branch] = size
            branches.next_branch[branch] = branches.head[size]
            branches.head[size] = branch
        if to_come < 0:
            return
        branch = to_come
        to_come = branches.next_child[to_come]


@compiled
def _spread(branches: Branches, branch: int, labels: Ints, label: int) -> int:
    """Give all records of a branch a label (that of free records leaves them as they are) and count them."""
    branches.size[branch] = 0
    stack, origin = branches.stack, branches.origin
    stack[0], origin[0] = branch, -1
    held, count = 1, 0
    while held > 0:
        held -= 1
        u, came_from = stack[held], origin[held]
        labels[u] = label
        count += 1
        v = branches.parent[u]
        to_come = branches.first_child[u]
        while True:
            if v >= 0 and v != came_from and labels[v] == _FREE:
                stack[held], origin[held] = v, u
                held += 1
            if to_come < 0:
                break
            v = to_come
            to_come = branches.next_child[to_come]
    return count


@compiled
def _nearest_branch(X: Floats, branches: Branches, centre: int) -> int:
    """The branch whose first record is nearest to the centre that leaves."""
    best, shortest = -1, np.inf
    for size in range(branches.head.shape[0] - 1, 0, -1):
        branch = branches.head[size]
        while branch >= 0:
            if branches.size[branch] > 0:
                distance = squared_distance(X[branch], X[centre])
                if distance < shortest:
                    best, shortest = branch, distance
                if distance == 0.0:  # a heap of equal records: any of them will do
                    return best
            branch = branches.next_branch[branch]
    return best


@compiled
def split_large(X: Floats, labels: Ints, k: int) -> Ints:
    """The groups with those of 2k to 3k - 1 records split as by MDAV, numbered anew.

    The record farthest from the centroid takes its k - 1 nearest, the others stay together; the lowest row wins a tie.
    """
    order = np.argsort(labels, kind="mergesort")
    split = np.empty_like(labels)
    start = 0
    groups = 0
    for count in np.bincount(labels):
        members = order[start : start + count]
        start += count
        split[members] = groups
        groups += 1
        if count >= 2 * k:
            centroid = start_sums(X[members])[0] / count
            away = np.array([squared_distance(X[i], centroid) for i in members])
            seed = members[np.argmax(away)]
            away = np.array([squared_distance(X[i], X[seed]) if i != seed else -1.0 for i in members])
            split[members[np.argsort(away, kind="mergesort")[k:]]] = groups
            groups += 1
    return split
