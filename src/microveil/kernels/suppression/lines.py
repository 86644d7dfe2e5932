"""Lines of a table of classes: classes that agree on all keys outside a subset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.kernels.tables.classes import group_rows

_ALL_SUBSETS = 8  # so many keys have 255 subsets


class Lines(NamedTuple):
    """For each class and subset the line it is on; the classes of each line from `start[line]` on."""

    of: Ints
    start: Ints
    members: Ints


def useful_subsets(cost: Floats) -> list[tuple[int, ...]]:
    """Non-empty subsets of the keys, cheapest first, that of all keys among them.

    All of them for few keys; for many, single keys, pairs, and the cheapest three, four, ... together.
    """
    q = len(cost)
    if q <= _ALL_SUBSETS:
        found = {subset for size in range(1, q + 1) for subset in combinations(range(q), size)}
    else:
        found = {subset for size in (1, 2) for subset in combinations(range(q), size)}
        cheapest = np.argsort(cost, kind="stable").tolist()
        found |= {tuple(sorted(cheapest[:size])) for size in range(3, q + 1)}
    return sorted(found, key=lambda subset: (subset_cost(cost, subset), len(subset), subset))


def subset_cost(cost: Floats, subset: tuple[int, ...]) -> float:
    """What blanking these keys costs, rounded so that equal sums are equal."""
    return float(np.round(cost[list(subset)].sum(), 9))


def subsets_by_cost(cost: Floats) -> Iterator[list[tuple[int, ...]]]:
    """The useful subsets, those of equal cost together, cheapest first."""
    for _, group in groupby(useful_subsets(cost), key=lambda subset: subset_cost(cost, subset)):
        yield list(group)


def lines_of(rows: Ints, subsets: list[tuple[int, ...]]) -> Lines:
    """The lines of distinct rows along each subset of the keys."""
    of = np.empty((len(rows), len(subsets)), dtype=np.int64)
    offset = 0
    for s, subset in enumerate(subsets):
        kept = [j for j in range(rows.shape[1]) if j not in subset]
        labels, sizes = group_rows(np.ascontiguousarray(rows[:, kept]))
        of[:, s] = labels + offset
        offset += len(sizes)
    flat = of.reshape(-1)
    members = np.argsort(flat, kind="stable") // len(subsets)
    start = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=offset))])
    return Lines(of, start, members)
