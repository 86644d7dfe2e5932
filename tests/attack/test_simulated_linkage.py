"""Own runs of the plan: what they find, of whom they are sure, and when they do not apply."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.attack import SimulatedLinkage
from microveil.attack.sureness import chance_of_nearest, least_chance
from microveil.core.measured import NotApplicable
from microveil.mask import CorrelatedNoise, Microaggregation, SullivanNoise, UncorrelatedNoise
from microveil.partition import MDAV

COLUMNS = list("abcd")


@pytest.fixture(scope="module")
def skewed_amounts() -> mv.Microdata:
    draw = np.random.default_rng(1)
    return mv.Microdata(pd.DataFrame(np.exp(draw.normal(size=(150, 4)) @ (np.eye(4) + 0.4)).round(3), columns=COLUMNS))


def test_a_step_without_draws_is_known_exactly(skewed_amounts):
    """Groups of k = 5 share their averages: each of them is found by one in five, neither more nor less."""
    release = Microaggregation(partition=MDAV(k=5)).apply(skewed_amounts, columns=COLUMNS, seed=1)
    assert SimulatedLinkage()(skewed_amounts, release).parts["likeliest"] == pytest.approx(20, abs=1e-6)


@pytest.mark.parametrize("method", [CorrelatedNoise(p=0.1), SullivanNoise(p=0.2), UncorrelatedNoise(p=0.1)])
def test_claims_are_right(skewed_amounts, method):
    found = SimulatedLinkage()(skewed_amounts, method.apply(skewed_amounts, columns=COLUMNS, seed=1))
    assert found.parts["certain"] > 5
    assert found.parts["precision"] >= 0.9


def test_two_steps_tell_more_than_one(skewed_amounts):
    steps = [(Microaggregation(partition=MDAV(k=10)), ["a", "b"]), (UncorrelatedNoise(p=0.3), ["c", "d"])]
    release = mv.Plan(steps).run(skewed_amounts, seed=3)
    alone = max(SimulatedLinkage(known=names)(skewed_amounts, release).value for _, names in steps)
    assert SimulatedLinkage()(skewed_amounts, release).value > alone + 20


def test_an_intruder_who_does_not_know_a_column_that_groups_are_formed_by_runs_the_plan_without_it(skewed_amounts):
    method = mv.hybrid.MicroHybrid(partition=MDAV(k=10), cluster_on=("a", "b", "d"))
    release = method.apply(skewed_amounts, columns=["a", "b", "c"], seed=1)
    found = SimulatedLinkage(known=["a", "b", "c"])(skewed_amounts, release)
    assert not isinstance(found, NotApplicable), found
    assert found.value > 2  # chance finds 0.7
    blocked = Microaggregation(partition=MDAV(k=5), blocks=(("a", "b"), ("c", "d"))).apply(skewed_amounts, seed=1)
    assert SimulatedLinkage(known=["a", "b", "c"])(skewed_amounts, blocked).value > 10


def test_it_needs_a_plan(skewed_amounts):
    assert isinstance(SimulatedLinkage()(skewed_amounts, skewed_amounts.frame), NotApplicable)


def test_a_chance_is_that_of_the_first_among_all():
    assert chance_of_nearest(np.array([[0.0, 0.0]]), np.array([[1, 3]])).tolist() == [0.25]
    assert least_chance(np.full(20, 0.96), np.ones(20, dtype=bool)) == 0.95
