"""Minimum-cost assignment of the records of one file to those of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints

if TYPE_CHECKING:
    from microveil.kernels.linkage.partners import Cells, CellTree


_MOST_WORK = 15_000_000  # pairs of records offered to each other, over all rounds: a minute at most, some 100 MB
_MORE = 30  # further ones that a record is offered in a round
_FEW = 0.1  # wishes for each record that are left open
_ROUNDING = 1e-9
_COPIES = 4  # equal records that a record is offered: others like it are offered the others


class Links(NamedTuple):
    """Pairs of classes of equal records, one for each link, with their distances.

    `left_over` records found none among those offered to them, and took the nearest that was free. `ended`: the work
    allowed was used up before hardly anybody wanted another one, so that the total may be well above the least.
    """

    a: Ints
    b: Ints
    distances: Floats
    left_over: int = 0
    ended: bool = False


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
    sides, and then what they would rather have at the prices found, until nobody wants another one.
    """
    if a_counts.sum() > b_counts.sum():
        found = assign(B, b_counts, A, a_counts, steps, manhattan, dense_up_to, offered)
        return Links(found.b, found.a, found.distances, found.left_over, found.ended)
    if b_counts.sum() <= dense_up_to:
        return _assign_all(A, a_counts, B, b_counts, steps, manhattan)
    return _assign_nearest(_Side.of(A, a_counts), _Side.of(B, b_counts), steps, manhattan, offered)


def _assign_all(A: Cells, a_counts: Ints, B: Cells, b_counts: Ints, steps: Floats, manhattan: bool) -> Links:
    from scipy.optimize import linear_sum_assignment

    from microveil.kernels.linkage.partners import all_distances

    a, b = (np.repeat(np.arange(len(counts)), counts) for counts in (a_counts, b_counts))
    cost = _rooted(all_distances(A, B, steps, manhattan) + A.handicap[:, None], manhattan)[np.ix_(a, b)]
    rows, columns = linear_sum_assignment(cost)
    return Links(a[rows], b[columns], cost[rows, columns])


def _assign_nearest(A: _Side, B: _Side, steps: Floats, manhattan: bool, offered: int) -> Links:
    from microveil.kernels.linkage.partners import plant

    of_a, of_b = (np.repeat(np.arange(len(side.counts)), side.counts) for side in (A, B))
    offers = _offers(A, B, steps, manhattan, offered)
    tree = plant(B.cells, B.counts)
    edges = _edges(A, B, *offers)
    work, settled, ended = 0, False, False
    while not (settled or ended):
        found = _matched(*edges, len(of_a), len(of_b))
        work += len(edges[0])
        left = np.flatnonzero(found.chosen < 0)
        known = len(offers[0])
        offers = _together(offers, _wanted(A, B, tree, found, steps, manhattan), len(B.counts))
        wishes = len(offers[0]) - known
        settled = not len(left) and wishes <= _FEW * len(of_a)
        ended = not settled and work + len(edges[0]) > _MOST_WORK
        if len(left):
            _take_free(A, B, steps, manhattan, left, found.chosen, found.apart)
        # with what everybody has for now among the offers there is a place for all from now on
        now = (np.arange(len(of_a)), found.chosen, found.apart)
        edges = _together(_edges(A, B, *offers), now, len(of_b))
    return Links(of_a, of_b[found.chosen], found.apart, len(left), ended)


Offers = tuple[Ints, Ints, Floats]


def _offers(A: _Side, B: _Side, steps: Floats, manhattan: bool, size: int) -> Offers:
    """The nearest in B of each of A, and the nearest in A of each of B: rows of both and the distance."""
    near_b, to_b = _nearest(A.cells, B.cells, steps, manhattan, size)
    near_a, to_a = _nearest(B.cells, A.cells, steps, manhattan, size)
    from_a = (np.repeat(np.arange(len(near_b)), near_b.shape[1]), near_b.ravel(), to_b.ravel())
    from_b = (near_a.ravel(), np.repeat(np.arange(len(near_a)), near_a.shape[1]), to_a.ravel())
    return _together(from_a, from_b, len(B.counts))


class _Matched(NamedTuple):
    """The unit that each person takes, -1 without any, its cost, what it costs with its price, and all prices."""

    chosen: Ints
    apart: Floats
    pays: Floats
    price: Floats


def _wanted(A: _Side, B: _Side, tree: CellTree, found: _Matched, steps: Floats, manhattan: bool) -> Offers:
    """What records would rather have, at the prices of all, than what they were offered."""
    from microveil.kernels.linkage.prices import better_points

    price = np.minimum.reduceat(found.price, B.start)
    pays = np.maximum.reduceat(found.pays, A.start)
    near, apart = better_points(tree, price, A.cells, pays * (1.0 - _ROUNDING), _MORE, steps, manhattan)
    row, place = np.nonzero(near >= 0)
    return row, near[row, place], apart[row, place]


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


def _matched(person: Ints, unit: Ints, cost: Floats, persons: int, units: int) -> _Matched:
    """The units that persons take at least total cost; some take none where there is none for all."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    from microveil.kernels.linkage.prices import place_prices

    # a place of one's own for whoever finds none; one more everywhere, since a cost of 0 means no offer there
    alone = 10.0 * (float(cost.max()) + 1.0)
    everyone = np.arange(persons)
    weight = np.concatenate([cost + 1.0, np.full(persons, alone + 1.0)])
    # in 32 bits: the matching of SciPy before 1.14 takes no longer ones, and there are never so many places
    rows, places = np.concatenate([person, everyone]), np.concatenate([unit, units + everyone])
    where = (rows.astype(np.int32), places.astype(np.int32))
    graph = csr_array((weight, where), shape=(persons, units + persons))
    _, chosen = min_weight_full_bipartite_matching(graph)
    apart = np.asarray(graph[everyone, chosen]).ravel() - 1.0
    start, place = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    price = place_prices(start, place, graph.data - 1.0, chosen.astype(np.int64), apart, units + persons)
    taken = np.where(chosen < units, chosen, -1).astype(np.int64)
    return _Matched(taken, apart, apart + price[chosen], price[:units])


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
