"""Minimum-cost assignment of the records of one file to those of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints

if TYPE_CHECKING:
    from microveil.kernels.assignment.offered import Offered, Taken
    from microveil.kernels.linkage.cells import Cells
    from microveil.kernels.linkage.partners import CellTree


_MOST_SEARCHES = 1_000_000  # for something better, over all records and rounds: some minutes
_MORE = 30  # further ones that a record is offered in a round
_ROUNDING = 1e-11
_PROVEN = 1e-8  # what rounding may leave between the total and its bound
_COST_OF_NONE = 1e4  # times the largest distance offered
_COPIES = 4  # equal records that a record is offered at first: others like it are offered the others


class Links(NamedTuple):
    """Pairs of classes of equal records, one for each link, with their distances.

    It is proven that no assignment has a smaller total than `least`.
    """

    a: Ints
    b: Ints
    distances: Floats
    least: float

    @property
    def excess(self) -> float:
        """What part of the total may be too much; 0 where it is proven to be the least."""
        total = float(self.distances.sum())
        above = 1.0 - self.least / total if total > 0 else 0.0
        return above if above > _PROVEN else 0.0


class _Side(NamedTuple):
    """The distinct records of a file, how many there are of each, and where these begin among all records."""

    cells: Cells
    counts: Ints
    start: Ints

    @classmethod
    def of(cls, cells: Cells, counts: Ints) -> _Side:
        return cls(cells, counts, np.cumsum(counts) - counts)


def assign(
    A: Cells, a_counts: Ints, B: Cells, b_counts: Ints, steps: Floats, manhattan: bool, dense_up_to: int, offered: int
) -> Links:
    """Links of least total distance between records of A and of B, none twice; every one of the smaller file.

    Rows of A and B stand for as many equal records as `a_counts` and `b_counts` say. Exact while the larger file has at
    most `dense_up_to` records. Beyond, distinct records are offered the `offered` nearest of the other file, from both
    sides, and then what they would rather have at the prices found. When nobody wants another one the total is the
    least, and the prices prove it; where that takes too long they prove how far it may be from it.
    """
    if a_counts.sum() > b_counts.sum():
        found = assign(B, b_counts, A, a_counts, steps, manhattan, dense_up_to, offered)
        return Links(found.b, found.a, found.distances, found.least)
    if b_counts.sum() <= dense_up_to:
        return _assign_all(A, a_counts, B, b_counts, steps, manhattan)
    return _assign_nearest(_Side.of(A, a_counts), _Side.of(B, b_counts), steps, manhattan, offered)


def _assign_all(A: Cells, a_counts: Ints, B: Cells, b_counts: Ints, steps: Floats, manhattan: bool) -> Links:
    from scipy.optimize import linear_sum_assignment

    from microveil.kernels.linkage.cells import all_distances

    a, b = (np.repeat(np.arange(len(counts)), counts) for counts in (a_counts, b_counts))
    cost = _rooted(all_distances(A, B, steps, manhattan) + A.handicap[:, None], manhattan)[np.ix_(a, b)]
    rows, columns = linear_sum_assignment(cost)
    return Links(a[rows], b[columns], cost[rows, columns], float(cost[rows, columns].sum()))


def _assign_nearest(A: _Side, B: _Side, steps: Floats, manhattan: bool, offered: int) -> Links:
    from microveil.kernels.assignment.offered import serve
    from microveil.kernels.linkage.partners import plant

    of_a, of_b = (np.repeat(np.arange(len(side.counts)), side.counts) for side in (A, B))
    tree = plant(B.cells, B.counts)
    offers = _offers(A, B, steps, manhattan, offered)
    edges, taken = _one_for_all(A, B, _edges(A, B, *offers), steps, manhattan)
    least, searches, looking = _if_all_had_the_nearest(A, offers), 0, True
    while looking:
        known = len(edges[0])
        serve(_by_person(edges, len(of_a), np.inf), taken)
        chosen, paid = taken.chosen.copy(), taken.paid.copy()
        wanted, bound = _wanted(A, B, tree, taken, steps, manhattan)
        least = max(least, bound)
        edges = _together(edges, wanted, len(of_b))
        searches += len(of_a)
        looking = len(edges[0]) > known and searches + len(of_a) <= _MOST_SEARCHES
    return Links(of_a, of_b[chosen], paid, least)


def _if_all_had_the_nearest(A: _Side, offers: Offers) -> float:
    """The total if records could be had more than once: a bound to begin with."""
    nearest = np.full(len(A.counts), np.inf)
    np.minimum.at(nearest, offers[0], offers[2])
    return float(A.counts @ nearest)


def _one_for_all(A: _Side, B: _Side, edges: Offers, steps: Floats, manhattan: bool) -> tuple[Offers, Taken]:
    """The offers with so many more that there is a place for everybody among them, and who has which for now.

    Whoever finds none takes the nearest that is free.
    """
    from microveil.kernels.assignment.offered import ALONE, nobody_served, serve

    persons, places = int(A.counts.sum()), int(B.counts.sum())
    taken = nobody_served(persons, places)
    serve(_by_person(edges, persons, _COST_OF_NONE * (float(edges[2].max(initial=0.0)) + 1.0)), taken)
    left = np.flatnonzero(taken.chosen == ALONE)
    if not len(left):
        return edges, taken
    _take_free(A, B, steps, manhattan, left, taken.chosen, taken.paid)
    more = (left, taken.chosen[left], taken.paid[left])
    # prices that were driven up for want of a place are forgotten
    return _together(edges, more, places), nobody_served(persons, places)


def _by_person(edges: Offers, persons: int, alone: float) -> Offered:
    from microveil.kernels.assignment.offered import Offered

    person, place, cost = edges
    start = np.searchsorted(person, np.arange(persons + 1)).astype(np.int64)
    return Offered(start, place, cost, alone)


Offers = tuple[Ints, Ints, Floats]


def _offers(A: _Side, B: _Side, steps: Floats, manhattan: bool, size: int) -> Offers:
    """The nearest in B of each of A, and the nearest in A of each of B: rows of both and the distance."""
    near_b, to_b = _nearest(A.cells, B.cells, steps, manhattan, size)
    near_a, to_a = _nearest(B.cells, A.cells, steps, manhattan, size)
    from_a = (np.repeat(np.arange(len(near_b)), near_b.shape[1]), near_b.ravel(), to_b.ravel())
    from_b = (near_a.ravel(), np.repeat(np.arange(len(near_a)), near_a.shape[1]), to_a.ravel())
    return _together(from_a, from_b, len(B.counts))


def _wanted(A: _Side, B: _Side, tree: CellTree, taken: Taken, steps: Floats, manhattan: bool) -> tuple[Offers, float]:
    """What records would rather have, at the prices of all, than what they have; and a bound of the total.

    Whatever each pays at least for any place, less all prices above the lowest, is no more than the least total.
    """
    from microveil.kernels.linkage.prices import better_points

    price = np.maximum(taken.price - _lowest(taken), 0.0)
    cheapest = _least_of_each(price, B.start)
    class_price = price[cheapest]
    has = taken.paid + price[taken.chosen]
    most = np.maximum.reduceat(has, A.start)
    near, apart = better_points(tree, class_price, A.cells, most * (1.0 - _ROUNDING), _MORE, steps, manhattan)
    found = near[:, 0] >= 0
    at_best = np.where(found, apart[:, 0] + class_price[np.maximum(near[:, 0], 0)], most * (1.0 - _ROUNDING))
    at_best = np.minimum(at_best, np.minimum.reduceat(has, A.start))
    bound = float(A.counts @ at_best - B.counts @ class_price)
    row, place = np.nonzero(near >= 0)
    b, away = near[row, place], apart[row, place]
    # each of several equal records that pays more is offered the cheapest of those equal to what it wants
    size = A.counts[row]
    offer = np.repeat(np.arange(len(row)), size)
    person = A.start[row[offer]] + np.arange(len(offer)) - np.repeat(np.cumsum(size) - size, size)
    pays_more = has[person] * (1.0 - _ROUNDING) > away[offer] + class_price[b[offer]]
    person, offer = person[pays_more], offer[pays_more]
    return (person, cheapest[b[offer]], away[offer]), bound


def _lowest(taken: Taken) -> float:
    """The price of places that stay free; where none does prices may be counted from anywhere."""
    equal = len(taken.chosen) == len(taken.owner)
    return float(taken.price.min() if equal else taken.lowest[0])


def _least_of_each(price: Floats, start: Ints) -> Ints:
    """The place of the lowest price among those that begin at each start, the first of equal ones."""
    order = np.lexsort((np.arange(len(price)), price, np.searchsorted(start, np.arange(len(price)), "right")))
    return np.asarray(order[start])


def _together(one: Offers, other: Offers, width: int) -> Offers:
    a, b, cost = (np.concatenate(both) for both in zip(one, other, strict=True))
    first = np.unique(a * width + b, return_index=True)[1]
    return a[first], b[first], cost[first]


def _nearest(queries: Cells, points: Cells, steps: Floats, manhattan: bool, size: int) -> tuple[Ints, Floats]:
    from microveil.kernels.linkage.partners import nearest_cells

    near, squared = nearest_cells(queries, points, min(size, len(points.low)), steps, manhattan)
    return near, _rooted(squared + queries.handicap[:, None], manhattan)


def _edges(A: _Side, B: _Side, a: Ints, b: Ints, cost: Floats) -> tuple[Ints, Ints, Floats]:
    """The offers to distinct records as offers to single ones: (record of A, record of B, distance).

    Of many equal ones no more are asked than there are places, and each is offered a few of these in turn.
    """
    s, c = A.counts[a], B.counts[b]
    each = np.minimum(c, _COPIES)
    asked = np.minimum(s, c + _COPIES)
    size = each * asked
    offer = np.repeat(np.arange(len(a)), size)
    within = np.arange(len(offer)) - np.repeat(np.cumsum(size) - size, size)
    t, turn = within // each[offer], within % each[offer]
    place = (B.start[b[offer]] + t) % s[offer]
    person = A.start[a[offer]] + place
    unit: Ints = B.start[b[offer]] + (person + turn) % c[offer]
    return person, unit, cost[offer]


def _take_free(A: _Side, B: _Side, steps: Floats, manhattan: bool, left: Ints, chosen: Ints, apart: Floats) -> None:
    """Give each record that is left the nearest that is free; of those that want the same the nearest gets it."""
    of_a = np.repeat(np.arange(len(A.counts)), A.counts)
    free = np.setdiff1d(np.arange(int(B.counts.sum())), chosen[chosen >= 0])
    of_b = np.repeat(np.arange(len(B.counts)), B.counts)
    while len(left):
        near, away = _nearest(A.cells.rows(of_a[left]), B.cells.rows(of_b[free]), steps, manhattan, 1)
        order = np.argsort(away[:, 0], kind="stable")
        wanted, first = np.unique(near[order, 0], return_index=True)
        happy = order[first]
        chosen[left[happy]], apart[left[happy]] = free[wanted], away[happy, 0]
        left, free = np.delete(left, happy), np.delete(free, wanted)


def _rooted(distances: Floats, manhattan: bool) -> Floats:
    return distances if manhattan else np.sqrt(distances)
