"""Rates of MASSC below a target of risk, against every way on the grid."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.mask.massc_rates import best_rates


def cost(records, rates, price):
    s, k = np.array(rates.substitute), np.array(rates.keep)
    return float((records * (1 / k - 1)).sum() + price * (records * s).sum())


def test_one_stratum_by_hand():
    # new keys cost less than leaving out as long as price x chance of being unaltered is below 1
    cheap = best_rates(np.array([50.0]), np.array([1.0]), (1.0,), (0.5,), 1.0, 0.75)
    assert (cheap.substitute, cheap.keep, cheap.risk) == ((0.25,), (1.0,), 0.75)
    dear = best_rates(np.array([50.0]), np.array([1.0]), (1.0,), (0.5,), 10.0, 0.75)
    assert (dear.substitute, dear.keep, dear.risk) == ((0.0,), (0.75,), 0.75)


def test_nothing_is_changed_below_the_target():
    found = best_rates(np.array([10.0, 90.0]), np.array([0.5, 0.1]), (0.5, 0.5), (0.5, 0.5), 1.0, 0.2)
    assert found.substitute == (0.0, 0.0)
    assert found.keep == (1.0, 1.0)
    assert found.risk == pytest.approx(0.05 + 0.09)


@pytest.mark.parametrize("price", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("target", [0.1, 0.2, 0.3])
def test_two_strata_against_all_ways(price, target):
    records, risks = np.array([30.0, 70.0]), np.array([0.9, 0.2])
    s, k = (np.linspace(*ends, 21) for ends in ((0.0, 0.8), (0.4, 1.0)))
    S1, K1, S2, K2 = np.meshgrid(s, k, s, k, indexing="ij", sparse=True)
    risk = 0.3 * 0.9 * K1 * (1 - S1) + 0.7 * 0.2 * K2 * (1 - S2)
    whole = 30 * (1 / K1 - 1) + 70 * (1 / K2 - 1) + price * (30 * S1 + 70 * S2)
    found = best_rates(records, risks, (0.8, 0.8), (0.4, 0.4), price, target)
    assert found.risk <= target * (1 + 1e-9)
    assert cost(records, found, price) == pytest.approx(whole[risk <= target * (1 + 1e-12)].min(), abs=1e-9)


def test_a_target_out_of_reach_is_refused_with_what_can_be_reached():
    with pytest.raises(BadInput, match=r"target=0.1 cannot be reached with these bounds, 0.25 can; raise substitute"):
        best_rates(np.array([50.0]), np.array([1.0]), (0.5,), (0.5,), 1.0, 0.1)


@pytest.fixture(scope="module")
def weighted_people():
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"a": draw.geometric(0.3, 2000), "b": draw.geometric(0.2, 2000), "w": 5.0})
    frame["a"], frame["b"] = frame["a"].astype(str), frame["b"].astype(str)
    return mv.Microdata(frame, roles={"a": "key", "b": "key", "w": "weight"})


def test_release_below_the_target(weighted_people):
    wide = {"substitute": (1.0, 1.0, 1.0, 1.0), "keep": (0.5, 0.5, 0.5, 0.5)}
    before = mv.risk.IndividualRisk()(weighted_people).value / 100
    target = before / 2
    release = mv.mask.Massc(**wide, target=target).apply(weighted_people, seed=1)
    told = next(note for note in release.notes if "expected share found by their keys" in note)
    risk = float(told.split(": ")[1].split(",")[0])
    assert 0.9 * target < risk <= target
    assert any("rates of least cost" in note for note in release.notes)
    # the records that come back as they were, each with its risk, are that share on average
    risks = mv.risk.IndividualRisk().records(weighted_people)
    found = []
    for seed in range(30):
        release = mv.mask.Massc(**wide, target=target).apply(weighted_people, seed=seed)
        rows = release.origin
        same = (release.frame[["a", "b"]].to_numpy() == weighted_people.frame[["a", "b"]].to_numpy()[rows]).all(axis=1)
        found.append(risks[rows[same]].sum() / weighted_people.n)
    assert np.mean(found) == pytest.approx(risk, abs=4 * np.std(found) / np.sqrt(30) + 1e-4)
