"""The choice of partners in targeted record swapping."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Codes, Vector


@dataclass(frozen=True)
class Swaps:
    """Partner of each household (itself: none) and how many risky households found none."""

    partner: Codes
    without_partner: int


class _Donors:
    """Households that agree on a profile, in a random order in which riskier ones tend to come first."""

    def __init__(self, profile: Codes, priority: Vector) -> None:
        from microveil.kernels.tables.classes import group_rows

        self.key = np.zeros(len(profile), dtype=np.int64)
        if profile.shape[1]:
            self.key = group_rows(profile)[0]
        order = np.lexsort((-priority, self.key))
        bounds = np.searchsorted(self.key[order], np.arange(int(self.key.max()) + 2))
        self.queues = [order[low:high].tolist() for low, high in itertools.pairwise(bounds)]

    def find(self, house: int, area: Codes, free: Bools) -> int:
        """The first free household outside the area, or -1; households that have moved are forgotten."""
        queue = self.queues[self.key[house]]
        position = 0
        while position < len(queue):
            other = queue[position]
            if not free[other]:
                queue.pop(position)
            elif area[other] == area[house]:
                position += 1
            else:
                return int(other)
        return -1


def swap_households(
    areas: Codes,
    risk: Codes,
    profiles: list[Codes],
    of: Codes,
    houses: int,
    k: int,
    rate: float,
    generator: np.random.Generator,
) -> Swaps:
    """Partners level by level, from the highest area to the lowest, and random ones up to the rate.

    `areas` and `risk` are per record, `profiles` per household, `of` is the household of each record.
    """
    from microveil.kernels.tables.classes import group_rows

    first = np.empty(houses, dtype=np.int64)
    first[of[::-1]] = np.arange(len(of) - 1, -1, -1)
    levels = range(areas.shape[1])
    area = [group_rows(np.ascontiguousarray(areas[:, : level + 1]))[0] for level in levels]
    counts = [_counts(area[level], risk) for level in levels]
    weight = np.zeros(houses)
    np.maximum.at(weight, of, 1.0 / counts[-1])
    # Efraimidis & Spirakis 2006: sorted so, each prefix is a weighted sample without replacement
    donors = [_Donors(profile, np.log(generator.random(houses)) / weight) for profile in profiles]
    partner, free = np.arange(houses), np.ones(houses, dtype=bool)
    started = np.zeros(int(area[-1].max()) + 1, dtype=np.int64)
    lost = 0

    def swap(house: int, where: Codes) -> bool:
        for queue in donors:
            other = queue.find(house, where, free)
            if other >= 0:
                partner[house], partner[other] = other, house
                free[house] = free[other] = False
                started[area[-1][first[house]]] += 1
                return True
        return False

    for level in levels:
        where = area[level][first]
        risky = np.zeros(houses, dtype=bool)
        risky[of[counts[level] < k]] = True
        for house in generator.permutation(np.flatnonzero(risky)).tolist():
            if free[house] and not swap(house, where):
                lost += level == areas.shape[1] - 1
    _fill_up(area[-1][first], started, free, weight, rate, swap, generator)
    return Swaps(partner, lost)


def _fill_up(
    where: Codes,
    started: Codes,
    free: Bools,
    weight: Vector,
    rate: float,
    swap: Callable[[int, Codes], bool],
    generator: np.random.Generator,
) -> None:
    """Swaps of further households until half the rate of every lowest area was started there."""
    target = rate * np.bincount(where) / 2
    target = np.floor(target) + (generator.random(len(target)) < target - np.floor(target))
    order = np.argsort(-np.log(generator.random(len(where))) / weight, kind="stable")
    for house in order.tolist():
        at = where[house]
        if free[house] and started[at] < target[at]:
            swap(house, where)


def _counts(area: Codes, risk: Codes) -> Codes:
    """How often each record's risk values occur in its area."""
    from microveil.kernels.tables.sizes import class_sizes

    return class_sizes(np.column_stack([area, risk]) if risk.shape[1] else area[:, None])[0]
