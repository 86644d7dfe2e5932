"""The released households that are nearest to a known one of the same size, member by member."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.attack.intersecting import MOST_LISTED
from microveil.attack.least_assignment import assign_each
from microveil.attack.member_costs import DISAGREES, MemberCosts
from microveil.core.arrays import Bools, Floats, Ints
from microveil.kernels.linkage.cells import Cells
from microveil.kernels.linkage.partners import nearest_cells
from microveil.kernels.linkage.scan import scan_nearest

_ALL_PAIRS = 3_000_000  # of members: so many are compared without a search
OFFERED = 64  # households that are compared: those at the least bound
_MEMBER_PAIRS = 2_000_000  # held at a time
_TIED = 1e-9


class Near(NamedTuple):
    """Released households of each known one (lines of numbers, -1: none) with their costs.

    `settled`: it is certain that no other household costs less.
    """

    candidate: Ints
    cost: Floats
    settled: Bools


def find_near(costs: MemberCosts, known: Ints, released: Ints) -> Near:
    """The nearest of the released households (lines of rows) to each known one; all where these are few."""
    homes, size = len(released), released.shape[1]
    if len(known) * homes * size**2 <= _ALL_PAIRS:
        everyone = np.tile(np.arange(homes), (len(known), 1))
        return Near(everyone, _compare(costs, known, released, everyone), np.ones(len(known), dtype=np.bool_))
    asked, shown, steps = costs.bounds(known, released)
    near = _offer(costs, known, released, (asked, shown, steps), min(OFFERED, homes))
    tied = np.flatnonzero(are_tied(near.cost).all(axis=1))
    if not len(tied) or homes <= OFFERED:
        return near
    # whoever is like all that are offered is like more
    more = _offer(costs, known[tied], released, (asked.rows(tied), shown, steps), min(MOST_LISTED, homes))
    wider = ((0, 0), (0, more.cost.shape[1] - near.cost.shape[1]))
    candidate, cost = (
        np.pad(near.candidate, wider, constant_values=-1),
        np.pad(near.cost, wider, constant_values=np.inf),
    )
    candidate[tied], cost[tied], near.settled[tied] = more
    return Near(candidate, cost, near.settled)


def _offer(costs: MemberCosts, known: Ints, released: Ints, bounds: tuple[Cells, Cells, Floats], width: int) -> Near:
    """So many households at the least bound, compared member by member."""
    asked, shown, steps = bounds
    # a tree is of no use where columns of codes exclude most
    search = scan_nearest if (steps[:, 1] > 0).any() else _search_tree
    found, bound = search(asked, shown, width, steps)
    found = np.where(np.isfinite(bound), found, -1)
    cost = _compare(costs, known, released, found)
    settled = (bound[:, -1] > cost.min(axis=1) * (1 + _TIED)) | (width == len(released))
    return Near(found, cost, settled)


def _search_tree(asked: Cells, shown: Cells, width: int, steps: Floats) -> tuple[Ints, Floats]:
    return nearest_cells(asked, shown, width, steps, False)


def _compare(costs: MemberCosts, known: Ints, released: Ints, candidate: Ints) -> Floats:
    """The least cost of assigning the members of each known household to those of each candidate."""
    out = np.full(candidate.shape, np.inf)
    row, place = np.nonzero(candidate >= 0)
    step = max(_MEMBER_PAIRS // known.shape[1] ** 2, 1)
    for start in range(0, len(row), step):
        r, c = row[start : start + step], place[start : start + step]
        out[r, c] = assign_members(costs, known[r], released[candidate[r, c]])[0]
    return out


def assign_members(costs: MemberCosts, known: Ints, released: Ints) -> tuple[Floats, Ints]:
    """The least cost of each pair of households (lines of rows), and the released row of each known member."""
    total, chosen = assign_each(costs.between(known[:, :, None], released[:, None, :]))
    return total, np.take_along_axis(released, chosen, axis=1)


def are_tied(cost: Floats) -> Bools:
    """Which candidates cost the least, as others do."""
    least = cost.min(axis=1, keepdims=True)
    return np.asarray((cost <= least * (1 + _TIED) + _TIED**2) & np.isfinite(cost))


def is_clear(near: Near, times: float) -> Bools:
    """Whether one household agrees, and the next costs at least so many times as much."""
    first = np.sort(near.cost, axis=1)[:, :2]
    alone = first[:, 1] >= times * first[:, 0] if first.shape[1] > 1 else np.ones(len(first), dtype=np.bool_)
    return np.asarray(near.settled & alone & (first[:, 0] < DISAGREES) & (are_tied(near.cost).sum(axis=1) == 1))
