"""The likeliest partners of records by the sum of what all columns say, each in its own way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import insert_nearest
from microveil.kernels.linkage.partners import in_blocks

IMPOSSIBLE = 1e9  # cost of a pair that cannot be one


class OddsSide(NamedTuple):
    """The records of one file in the columns of a cost.

    `same` are codes that must be equal (-1: anything goes, on the side of the known), `codes` rows or columns of the
    prices of categories, `points` numbers compared by Euclid, `places` numbers whose differences have a price, which
    depends on the `strata` of the known.
    """

    same: Ints
    codes: Ints
    points: Floats
    places: Floats
    strata: Ints


class Prices(NamedTuple):
    """What pairs of categories cost, and what differences of places cost.

    The price of codes a and b in column j stands at categories[starts[j] + a * widths[j] + b]; differences are counted
    in steps from the middle of differences[j, stratum], whose ends stand for all that is beyond.
    """

    categories: Floats
    starts: Ints
    widths: Ints
    differences: Floats


def least_costs(known: OddsSide, shown: OddsSide, prices: Prices, size: int) -> tuple[Ints, Floats]:
    """The `size` shown records of least cost of each known one by rising cost, the lowest row first.

    Places that are left have an infinite cost, as have pairs that cannot be.
    """
    near = np.zeros((len(known.same), size), dtype=np.int64)
    cost = np.full((len(known.same), size), np.inf)

    def search(chosen: Ints) -> None:
        _search(known, shown, prices, chosen, near, cost)

    in_blocks(search, np.arange(len(known.same)))
    return near, cost


def all_costs(known: OddsSide, shown: OddsSide, prices: Prices) -> Floats:
    """The cost of every pair; of one that cannot be, `IMPOSSIBLE`."""
    cost = np.empty((len(known.same), len(shown.same)))
    _fill(known, shown, prices, cost)
    return cost


@compiled
def _search(known: OddsSide, shown: OddsSide, prices: Prices, chosen: Ints, near: Ints, cost: Floats) -> None:
    size = near.shape[1]
    for q in chosen:
        for r in range(len(shown.same)):
            total = _cost(known, q, shown, r, prices, cost[q, size - 1])
            if total < IMPOSSIBLE:
                insert_nearest(cost[q], near[q], size, total, r)


@compiled
def _fill(known: OddsSide, shown: OddsSide, prices: Prices, cost: Floats) -> None:
    for q in range(cost.shape[0]):
        for r in range(cost.shape[1]):
            cost[q, r] = _cost(known, q, shown, r, prices, IMPOSSIBLE)


@compiled
def _cost(known: OddsSide, q: int, shown: OddsSide, r: int, prices: Prices, most: float) -> float:
    """The cost of one pair, or `IMPOSSIBLE` as soon as it is more than `most`: no part lowers it."""
    for j in range(known.same.shape[1]):
        if known.same[q, j] >= 0 and known.same[q, j] != shown.same[r, j]:
            return IMPOSSIBLE
    total = 0.0
    for j in range(known.codes.shape[1]):
        total += prices.categories[prices.starts[j] + known.codes[q, j] * prices.widths[j] + shown.codes[r, j]]
    for j in range(known.points.shape[1]):
        if total > most:
            return IMPOSSIBLE
        apart = known.points[q, j] - shown.points[r, j]
        total += apart * apart
    middle = prices.differences.shape[2] // 2
    for j in range(known.places.shape[1]):
        if total > most:
            return IMPOSSIBLE
        steps = round(shown.places[r, j] - known.places[q, j])
        total += prices.differences[j, known.strata[q, j], int(min(max(steps + middle, 0.0), 2.0 * middle))]
    return min(total, IMPOSSIBLE)
