"""t-closeness: how far the values of a class are from those of the whole file, by the earth mover's distance.

Whoever makes the values gives a missing one a value of its own; where values have an order it stands below all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from microveil.core.arrays import Floats, Ints, Scalars
from microveil.kernels.tables.classes import ValueCounts, count_up, group_rows, value_counts


def class_distance(labels: Ints, values: Scalars, ordered: bool, records: Ints | None = None) -> Floats:
    """Earth mover's distance of each class's distribution from that of the whole file, in [0, 1].

    Ordered values one step apart are 1/(m - 1) apart, m the number of distinct values; otherwise all values are at
    distance 1. A number that no record has as its label is a class at no distance. Reference: Li, Li &
    Venkatasubramanian 2007. `records`: how many each row stands for; None: one.
    """
    different, where = np.unique(values, return_inverse=True)
    codes = where.reshape(-1)
    return _from_all(
        labels,
        codes,
        len(different),
        records,
        lambda found, sizes, shares: distance_of_counts(found, sizes, shares, ordered),
    )


def class_distance_in_tree(labels: Ints, codes: Ints, tree: Sequence[Ints], records: Ints | None = None) -> Floats:
    """Earth mover's distance of each class from the whole file along a tree of generalisations.

    `tree` holds for each level below the common top, the values themselves first, the node of each code. A move
    between two values costs the height of their lowest common ancestor over that of the tree. `records`: how many each
    row stands for; None: one.
    """
    return _from_all(
        labels,
        codes,
        len(tree[0]),
        records,
        lambda found, sizes, shares: distance_of_counts_in_tree(found, sizes, shares, tree),
    )


def _from_all(
    labels: Ints,
    codes: Ints,
    levels: int,
    records: Ints | None,
    distance: Callable[[ValueCounts, Ints, Floats], Floats],
) -> Floats:
    """The distance of each class, from the counts of its values, its size, and the shares of all values."""
    one_each = np.ones(len(labels), dtype=np.int64) if records is None else records
    sizes = count_up(labels, one_each, int(labels.max(initial=-1)) + 1)
    shares = count_up(codes, one_each, levels) / max(int(one_each.sum()), 1)
    return distance(value_counts(labels, codes, records), sizes, shares)


def distance_of_counts(found: ValueCounts, sizes: Ints, shares: Floats, ordered: bool) -> Floats:
    """The distance of each class, from the counts of its values in any order, from these shares of all values."""
    if len(shares) < 2:
        return np.zeros(len(sizes))
    away = _over_steps(found, sizes, shares) if ordered else _over_shares(found, sizes, shares)
    return np.where(sizes > 0, away, 0.0)


def distance_of_counts_in_tree(found: ValueCounts, sizes: Ints, shares: Floats, tree: Sequence[Ints]) -> Floats:
    """The distance of each class from these shares along a tree (see `class_distance_in_tree`).

    All edges are equally long, so what must cross an edge is the surplus of the node below it, and the cost is the mean
    over the levels of half the differences between the shares of their nodes.
    """
    total = np.zeros(len(sizes))
    for level in tree:
        of_pair = group_rows(np.column_stack([found.classes, level[found.values]]))[0]
        counts = np.bincount(of_pair, weights=found.counts).astype(np.int64)
        classes, values = np.empty_like(counts), np.empty_like(counts)
        classes[of_pair], values[of_pair] = found.classes, level[found.values]
        total += distance_of_counts(
            ValueCounts(classes, values, counts),
            sizes,
            np.asarray(np.bincount(level, weights=shares), dtype=np.float64),
            ordered=False,
        )
    return total / len(tree)


def _over_shares(found: ValueCounts, sizes: Ints, shares: Floats) -> Floats:
    """Half the sum of absolute differences between each class's shares and those of all."""
    classes, present, counts = found
    share, there = counts / sizes[classes], shares[present]
    # values the class lacks add their whole share
    total = np.bincount(classes, weights=np.abs(share - there) - there, minlength=len(sizes)) + shares.sum()
    return np.asarray(np.maximum(0.5 * total, 0.0))


def _over_steps(found: ValueCounts, sizes: Ints, shares: Floats) -> Floats:
    """Differences of distribution functions, summed over the steps between distinct values."""
    m = len(shares)
    # F(i) of all records at each distinct value, and its running sums for sums over stretches
    F = np.cumsum(shares)
    running = np.concatenate([[0.0], np.cumsum(F)])
    order = np.lexsort((found.values, found.classes))
    classes, ranks, counts = (column[order] for column in found)
    opens = np.append(True, classes[1:] != classes[:-1])
    before = np.cumsum(counts) - counts
    reached = before + counts - before[np.flatnonzero(opens)[np.cumsum(opens) - 1]]
    last = np.append(opens[1:], True)
    ends = np.where(last, m, np.append(ranks[1:], m))
    stretches = _stretch(reached / sizes[classes], ranks, ends, F, running)
    total = np.bincount(classes, weights=stretches, minlength=len(sizes))
    total[classes[opens]] += running[ranks[opens]]
    return np.asarray(total / (m - 1))


def _stretch(level: Floats, first: Ints, end: Ints, F: Floats, running: Floats) -> Floats:
    """Sum of |level - F(i)| over first <= i < end, F increasing."""
    cross = np.clip(np.searchsorted(F, level, side="left"), first, end)
    lower = level * (cross - first) - (running[cross] - running[first])
    upper = (running[end] - running[cross]) - level * (end - cross)
    return np.maximum(lower, 0.0) + np.maximum(upper, 0.0)
