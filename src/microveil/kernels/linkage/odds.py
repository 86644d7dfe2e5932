"""The likeliest partners of records by the sum of what all columns say, each in its own way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import insert_nearest
from microveil.kernels.linkage.partners import in_blocks

IMPOSSIBLE = 1e9  # cost of a pair that cannot be one
_BLOCK = 512  # shown records after which the largest cost that is of interest is looked up


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
    some = np.empty(_BLOCK)
    for q in chosen:
        for first in range(0, len(shown.same), _BLOCK):
            last = min(first + _BLOCK, len(shown.same))
            _costs(known, q, shown, first, last, prices, cost[q, size - 1], some)
            for r in range(first, last):
                if some[r - first] < IMPOSSIBLE:
                    insert_nearest(cost[q], near[q], size, some[r - first], r)


@compiled
def _fill(known: OddsSide, shown: OddsSide, prices: Prices, cost: Floats) -> None:
    for q in range(cost.shape[0]):
        _costs(known, q, shown, 0, cost.shape[1], prices, IMPOSSIBLE, cost[q])


@compiled
def _costs(
    known: OddsSide, q: int, shown: OddsSide, first: int, last: int, prices: Prices, most: float, out: Floats
) -> None:
    """The costs of a known record with shown ones from first to last; `IMPOSSIBLE` as soon as one is more than `most`.

    No part lowers a cost, so that the others need not be asked then.
    """
    same, codes, points, places, strata = (
        known.same[q],
        known.codes[q],
        known.points[q],
        known.places[q],
        known.strata[q],
    )
    shown_same, shown_codes, shown_points, shown_places = shown.same, shown.codes, shown.points, shown.places
    categories, differences = prices.categories, prices.differences
    base = prices.starts + codes * prices.widths
    middle = differences.shape[2] // 2
    for r in range(first, last):
        total = 0.0
        for j in range(len(same)):
            if same[j] >= 0 and same[j] != shown_same[r, j]:
                total = IMPOSSIBLE
        for j in range(len(codes)):
            total += categories[base[j] + shown_codes[r, j]]
        j = 0
        while j < len(points) and total <= most:
            apart = points[j] - shown_points[r, j]
            total += apart * apart
            j += 1
        j = 0
        while j < len(places) and total <= most:
            # steps from the middle, rounded; never below the first nor beyond the last
            place = min(max(shown_places[r, j] - places[j] + middle + 0.5, 0.0), 2.0 * middle)
            total += differences[j, strata[j], int(place)]
            j += 1
        out[r - first] = total if total <= most else IMPOSSIBLE
