"""Sparse assignment against the solver that looks at all costs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from microveil.kernels.assignment.offered import ALONE, Offered, Taken, nobody_served, serve


def offers(cost: np.ndarray, alone: float) -> Offered:
    """Everything finite in a matrix of costs."""
    person, place = np.nonzero(np.isfinite(cost))
    start = np.searchsorted(person, np.arange(len(cost) + 1)).astype(np.int64)
    return Offered(start, place.astype(np.int64), cost[person, place], alone)


def least(cost: np.ndarray, alone: float) -> float:
    """The least total where everybody also has a place of their own."""
    own = np.where(np.eye(len(cost), dtype=bool), min(alone, 1e8), 1e9)
    whole = np.hstack([np.where(np.isfinite(cost), cost, 1e9), own])
    return float(whole[linear_sum_assignment(whole)].sum())


def check(cost: np.ndarray, alone: float, taken: Taken) -> None:
    """The total is the least, and prices prove it."""
    served = taken.chosen != ALONE
    total = taken.paid[served].sum() + (0.0 if served.all() else alone * (~served).sum())
    assert len(set(taken.chosen[served])) == served.sum()
    assert cost[served, taken.chosen[served]] == pytest.approx(taken.paid[served])
    assert total == pytest.approx(least(cost, alone), rel=1e-9)
    pays = np.minimum((cost + taken.price).min(axis=1), alone)
    has = np.where(served, taken.paid + taken.price[np.maximum(taken.chosen, 0)], alone)
    assert has == pytest.approx(pays)


@pytest.mark.parametrize("shape", [(60, 60), (60, 61), (60, 90), (1, 3), (1, 1)])
@pytest.mark.parametrize("seed", range(6))
def test_all_offers(shape: tuple[int, int], seed: int) -> None:
    cost = np.random.default_rng(seed).random(shape).round(2 if seed % 2 else 9)  # with ties, and without
    taken = nobody_served(*shape)
    serve(offers(cost, 100.0), taken)
    check(cost, 100.0, taken)
    dual = (taken.paid + taken.price[taken.chosen]).sum() - shape[0] * taken.lowest[0]
    dual -= (taken.price - taken.lowest[0]).sum()
    assert shape[0] == shape[1] or taken.price.min() == pytest.approx(taken.lowest[0], rel=1e-9)
    assert dual == pytest.approx(taken.paid.sum(), rel=1e-9)


@pytest.mark.parametrize("shape", [(50, 50), (50, 52), (50, 80)])
@pytest.mark.parametrize("seed", range(6))
def test_offers_that_come_later(shape: tuple[int, int], seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    whole = rng.random(shape)
    cost = np.where(rng.random(shape) < 0.5, whole, np.inf)
    taken = nobody_served(*shape)
    serve(offers(cost, 100.0), taken)
    assert (taken.chosen != ALONE).all()
    check(cost, 100.0, taken)
    serve(offers(whole, 100.0), taken)
    check(whole, 100.0, taken)


def test_who_finds_none_stays_alone() -> None:
    cost = np.array([[1.0, np.inf, np.inf], [2.0, np.inf, np.inf], [np.inf, 1.0, 2.0]])
    taken = nobody_served(3, 3)
    serve(offers(cost, 100.0), taken)
    assert sorted(taken.chosen[:2]) == [ALONE, 0]
    assert taken.chosen[2] in (1, 2)


def test_without_a_cost_of_being_alone() -> None:
    cost = np.random.default_rng(3).random((40, 44))
    taken = nobody_served(40, 44)
    serve(offers(cost, np.inf), taken)
    check(cost, np.inf, taken)
