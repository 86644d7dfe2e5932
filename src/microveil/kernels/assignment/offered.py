"""A one-to-one assignment of least total cost when each person was offered some of the places, with prices as proof.

Prices make everybody content: nobody was offered a place that costs less, with its price, than what they have. Persons
first bid against one another (auction, Bertsekas 1988), which is quick but only nearly best. Those who are not content
then give their places back and are served one by one along shortest paths (Jonker & Volgenant 1987), which is exact.
More offers can be made later: those whom they make discontent are served anew, all others keep what they have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled, inlined

WAITING, ALONE = -1, -2  # persons: without a place yet, and with none of those offered
_FREE, _SPARE = -1, -2  # places: nobody's yet, and one of those that are too many
_MANY = -3  # a way over the places that are too many, of which any may become another
_STEPS = (0.5, 0.1, 0.02, 0.004)  # what bids exceed the second best by, in mean costs
_MANY_WAIT = 0.02  # part of all persons from which bidding is quicker than serving one by one
_BIDS = 50  # for each person and step
_ROUNDING = 1e-12


class Offered(NamedTuple):
    """Person i was offered place[start[i] : start[i + 1]] at these costs, or stays alone at the cost `alone`.

    Where there is a place for everybody among the offers `alone` may be infinite.
    """

    start: Ints
    place: Ints
    cost: Floats
    alone: float


class Taken(NamedTuple):
    """The place of each person (WAITING, ALONE) and its cost; the person of each place, its price; the lowest price."""

    chosen: Ints
    paid: Floats
    owner: Ints
    price: Floats
    lowest: Floats


def nobody_served(persons: int, places: int) -> Taken:
    """The beginning: everybody waits, and every place is free. There are at least as many places as persons."""
    return Taken(
        np.full(persons, WAITING, dtype=np.int64),
        np.zeros(persons),
        np.full(places, _FREE, dtype=np.int64),
        np.zeros(places),
        np.zeros(1),
    )


def serve(offered: Offered, taken: Taken) -> None:
    """Bring everybody to a place, or to none, at the least total cost of what was offered; `taken` is changed.

    Unless somebody stays alone the total equals what persons pay, prices included, less the prices of all places, both
    counted from the lowest: no assignment of these offers costs less.
    """
    persons, places = len(taken.chosen), len(taken.owner)
    step = float(offered.cost.mean()) if len(offered.cost) else 0.0
    if (taken.chosen == WAITING).all():
        # places that stay free must not have been bid for: with some too many prices only rise from zero, in one step
        for part in _STEPS if persons == places else _STEPS[2:3]:
            taken.chosen[:], taken.owner[:] = WAITING, _FREE
            _bid(offered, taken, part * step + _ROUNDING, _BIDS * persons)
        taken.owner[np.flatnonzero((taken.owner == _FREE) & (taken.price == 0.0))[: places - persons]] = _SPARE
    least = _ROUNDING * (1.0 + offered.cost.max(initial=0.0))
    _give_back(offered, taken, least)
    if persons == places and np.count_nonzero(taken.chosen == WAITING) > _MANY_WAIT * persons:
        _bid(offered, taken, _STEPS[-1] * step + _ROUNDING, _BIDS * persons)
        _give_back(offered, taken, least)
    _serve_waiting(offered, taken)


@compiled
def _bid(offered: Offered, taken: Taken, step: float, most: int) -> None:
    """Let those who wait bid for the best place in turn, each against the second best; they drive out who has it."""
    start, place, cost, alone = offered
    chosen, paid, owner, price, _ = taken
    n = len(chosen)
    queue = np.empty(n, dtype=np.int64)
    head, size = 0, 0
    for i in range(n):
        if chosen[i] == WAITING:
            queue[size] = i
            size += 1
    while size > 0 and most > 0:
        i = queue[head]
        head = (head + 1) % n
        size -= 1
        most -= 1
        best, second, at = np.inf, np.inf, -1
        for e in range(start[i], start[i + 1]):
            with_price = cost[e] + price[place[e]]
            if with_price < best:
                best, second, at = with_price, best, e
            elif with_price < second:
                second = with_price
        if best >= alone:
            continue
        j = place[at]
        price[j] += (second - best if second < alone else 0.0) + step
        if owner[j] >= 0:
            chosen[owner[j]] = WAITING
            queue[(head + size) % n] = owner[j]
            size += 1
        owner[j], chosen[i], paid[i] = i, j, cost[at]


@compiled
def _give_back(offered: Offered, taken: Taken, least: float) -> None:
    """Let all wait who were offered something better than what they have by more than `least`."""
    for i in range(len(taken.chosen)):
        j = taken.chosen[i]
        if j == WAITING:
            continue
        has = offered.alone if j == ALONE else taken.paid[i] + taken.price[j]
        if has > _best_offer(offered, taken.price, i) + least:
            if j >= 0:
                taken.owner[j] = _FREE
            taken.chosen[i] = WAITING


@inlined
def _best_offer(offered: Offered, price: Floats, i: int) -> float:
    best = offered.alone
    for e in range(offered.start[i], offered.start[i + 1]):
        best = min(best, offered.cost[e] + price[offered.place[e]])
    return best


class _Ways(NamedTuple):
    """Shortest ways from the person who is served: to each place its length, who moves there, and at what cost.

    `order` holds the places reached, `final` says of which the length is known for good.
    """

    length: Floats
    mover: Ints
    cost: Floats
    order: Ints
    final: Bools


@compiled
def _serve_waiting(offered: Offered, taken: Taken) -> None:
    """Serve those who wait one by one: everybody on the shortest way to a free place moves on to the next."""
    places = len(taken.price)
    ways = _Ways(
        np.full(places, np.inf),
        np.empty(places, dtype=np.int64),
        np.empty(places),
        np.empty(places, dtype=np.int64),
        np.zeros(places, dtype=np.bool_),
    )
    heap = np.empty((1024, 2))
    for root in range(len(taken.chosen)):
        if taken.chosen[root] == WAITING:
            heap = _serve_one(offered, taken, ways, heap, root)


@compiled
def _serve_one(offered: Offered, taken: Taken, ways: _Ways, heap: Floats, root: int) -> Floats:
    """One shortest way from a person to a free place, or to somebody who stays alone; prices follow it."""
    start, place, cost, alone = offered
    _, paid, owner, price, lowest = taken
    seen, waiting = 0, 0
    end, last, last_mover = np.inf, -1, -1
    through, many = -1, np.inf  # the place too many over which the way goes, and how far that is
    i, so_far, has = root, 0.0, _best_offer(offered, price, root)
    while True:
        if i >= 0:
            if so_far + alone - has < end:
                end, last, last_mover = so_far + alone - has, ALONE, i
            first, beyond = start[i], start[i + 1]
        else:
            first, beyond = 0, len(price)
        for e in range(first, beyond):
            j = place[e] if i >= 0 else e
            if ways.final[j] or (i == _MANY and owner[j] == _SPARE):
                continue
            away = so_far + (cost[e] + price[j] - has if i >= 0 else price[j] - lowest[0])
            if away >= end or away >= ways.length[j]:
                continue
            if ways.length[j] == np.inf:
                ways.order[seen] = j
                seen += 1
            ways.length[j], ways.mover[j] = away, i
            ways.cost[j] = cost[e] if i >= 0 else 0.0
            if owner[j] == _FREE:
                end, last, last_mover = away, j, i
                continue
            if waiting == len(heap):
                longer = np.empty((2 * waiting, 2))
                longer[:waiting] = heap
                heap = longer
            _push(heap, waiting, away, j)
            waiting += 1
        j = -1
        while waiting > 0 and j < 0:
            away, j = heap[0, 0], int(heap[0, 1])
            waiting -= 1
            _pop(heap, waiting)
            if ways.final[j] or away != ways.length[j] or (owner[j] == _SPARE and through >= 0):
                j = -1
        if j < 0 or ways.length[j] >= end:
            break
        so_far = ways.length[j]
        if owner[j] == _SPARE:
            i, through, many = _MANY, j, so_far
        else:
            ways.final[j] = True
            i = owner[j]
            has = paid[i] + price[j]
    for s in range(seen):
        j = ways.order[s]
        if ways.final[j]:
            price[j] += end - ways.length[j]
        ways.length[j], ways.final[j] = np.inf, False
    if through >= 0 and many < end:
        lowest[0] += end - many
        for j in range(len(price)):
            if owner[j] == _SPARE:
                price[j] = lowest[0]
    _move(taken, ways, root, last, last_mover, through)
    return heap


@inlined
def _move(taken: Taken, ways: _Ways, root: int, last: int, mover: int, through: int) -> None:
    """Move everybody along the way, from its end to the person served."""
    j, i = last, mover
    while True:
        if i == _MANY:
            taken.owner[j] = _SPARE
            j = through
        else:
            before = taken.chosen[i]
            taken.chosen[i] = j
            if j >= 0:
                taken.owner[j], taken.paid[i] = i, ways.cost[j]
            if i == root:
                break
            j = before
        i = ways.mover[j]


@inlined
def _push(heap: Floats, size: int, away: float, j: int) -> None:
    k = size
    while k > 0 and heap[(k - 1) // 2, 0] > away:
        heap[k, 0], heap[k, 1] = heap[(k - 1) // 2, 0], heap[(k - 1) // 2, 1]
        k = (k - 1) // 2
    heap[k, 0], heap[k, 1] = away, j


@inlined
def _pop(heap: Floats, size: int) -> None:
    """Take the first of size + 1 out."""
    away, j = heap[size, 0], heap[size, 1]
    k = 0
    while 2 * k + 1 < size:
        least = 2 * k + 1
        if least + 1 < size and heap[least + 1, 0] < heap[least, 0]:
            least += 1
        if heap[least, 0] >= away:
            break
        heap[k, 0], heap[k, 1] = heap[least, 0], heap[least, 1]
        k = least
    heap[k, 0], heap[k, 1] = away, j
