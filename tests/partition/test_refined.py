from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.partition import MDAV, MST, Blocked, Refined, information_loss
from tests.reference import matrix


@pytest.mark.parametrize("base", [MDAV(k=3), MDAV(k=5), MST(k=4, refinement="none")], ids=str)
def test_lower_loss_and_sizes_from_k_to_2k(base):
    X = matrix("tarragona")
    labels = Refined(base=base).labels(X, seed=1)
    sizes = np.bincount(labels)
    assert information_loss(X, labels) < information_loss(X, base.labels(X))
    assert sizes.min() >= base.k
    assert sizes.max() <= 2 * base.k - 1


def test_more_effort_loses_less():
    X = matrix("census")
    efforts = (
        {"moves": 0},
        {"moves": 50},
        {},
        {"sweeps": 100, "neighbours": 20},
    )
    losses = [information_loss(X, Refined(base=MDAV(k=3), **effort).labels(X, seed=1)) for effort in efforts]
    assert losses[0] == pytest.approx(5.6922, abs=6e-5)
    assert losses == sorted(losses, reverse=True)
    assert len(set(losses)) == 4


def test_the_best_of_several_runs_is_kept():
    X = matrix("tarragona")
    one, three = (
        information_loss(X, Refined(base=MDAV(k=3), sweeps=5, restarts=restarts).labels(X, seed=1))
        for restarts in (1, 3)
    )
    assert three <= one


def test_borders_of_blocks_are_crossed():
    X = np.random.default_rng(1).normal(size=(2000, 2))
    blocked = Blocked(base=MDAV(k=5), size=100)
    refined = Refined(base=blocked)
    assert refined.k == 5
    assert information_loss(X, refined.labels(X, seed=1)) < 0.9 * information_loss(X, blocked.labels(X))


def test_equal_records_are_left_alone():
    labels = Refined(base=MST(k=3, refinement="none"), sweeps=5).labels(np.ones((20, 2)), seed=1)
    sizes = np.bincount(labels)
    assert sizes.min() >= 3
    assert sizes.max() <= 5


def test_budgets_that_contradict_are_refused():
    with pytest.raises(BadInput, match="moves=10 needs sweeps=0; sweeps is 5"):
        Refined(sweeps=5, moves=10)
    with pytest.raises(BadInput, match="restarts=3 needs sweeps 1 or more; sweeps is 0"):
        Refined(restarts=3)


def test_a_time_budget_ends_it():
    X = np.random.default_rng(1).normal(size=(3000, 3))
    labels = Refined(base=MDAV(k=3), seconds=0.05).labels(X, seed=1)
    assert information_loss(X, labels) <= information_loss(X, MDAV(k=3).labels(X))
