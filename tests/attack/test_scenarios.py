"""Attacks by the intruders that somebody states: each knows what the scenario says, and the worst case names both."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.attack import RankSwapAttack
from microveil.core.errors import BadInput
from microveil.risk import GlobalLinkage, Scenario

COLUMNS = list("abcd")
TWO = Scenario("two", ("a",), ("b",), {"risk": 0.2, "share": 25.0})
ALL = Scenario("all", (), tuple(COLUMNS))
TITLE = RankSwapAttack.title


@pytest.fixture(scope="module")
def weighted() -> mv.Microdata:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(200, 4)) @ (np.eye(4) + 0.4)
    return mv.Microdata(pd.DataFrame(X.round(3), columns=COLUMNS).assign(weight=draw.uniform(1, 9, 200).round(3)))


@pytest.fixture(scope="module")
def release(weighted) -> mv.Release:
    return mv.mask.RankSwap(p=10).apply(weighted, columns=COLUMNS, seed=1)


def test_a_scenario_is_the_same_as_what_it_knows(weighted, release):
    found = RankSwapAttack(scenario=TWO)(weighted, release)
    known = RankSwapAttack(known=["a", "b"])(weighted, release)
    assert found.value == known.value
    chances = RankSwapAttack(known=["a", "b"]).records(weighted, release)
    assert found.parts["two: records at risk (%)"] == pytest.approx(100 * (chances > 0.2).mean())
    assert RankSwapAttack(scenario=TWO).reidentified(found) == {"two": found.value}
    assert RankSwapAttack().reidentified(known) == {"": known.value}


def test_one_to_one_linkage_in_a_scenario_compares_what_it_knows(weighted, release):
    alone = GlobalLinkage()(weighted, release, columns=["a", "b"])
    assert GlobalLinkage(scenario=TWO)(weighted, release).value == alone.value
    whitened = GlobalLinkage(scenario=TWO, metric="mahalanobis")(weighted, release)
    assert whitened.value == GlobalLinkage(metric="mahalanobis")(weighted, release, columns=["a", "b"]).value


def test_who_knows_what_is_said_once(weighted, release):
    with pytest.raises(BadInput, match=r"got both known=\['a'\] and the scenario 'two'.*give one of the two"):
        RankSwapAttack(known=["a"], scenario=TWO)
    assert RankSwapAttack(known=["a"]).in_scenario(TWO) is None
    assert mv.attack.Verbatim().in_scenario(TWO) is None
    with pytest.raises(BadInput, match="is not a scenario"):
        RankSwapAttack(scenario="two")
    spec = {"rank-swap-attack": {"scenario": TWO.to_spec()}}
    assert RankSwapAttack.from_spec(spec) == RankSwapAttack(scenario=TWO)


def test_the_worst_case_is_the_highest_over_attacks_and_scenarios(weighted, release):
    everybody = Scenario("register", (), (*COLUMNS, "weight"))
    figures = mv.evaluate(
        weighted, release, measures=["rank-swap-attack", "global-linkage"], scenarios=[TWO, everybody]
    )
    parts = figures.worst.parts
    assert parts[f"{TITLE}, scenario two"] == RankSwapAttack(known=["a", "b"])(weighted, release).value
    # the weight, which was not changed, is known to this intruder alone
    assert parts[f"{TITLE}, scenario register"] == 100 > parts[TITLE] > parts[f"{TITLE}, scenario two"]
    assert f"({TITLE}, scenario register)" in figures.worst.reading
    assert any(name.startswith("One-to-one record linkage") and name.endswith("scenario two") for name in parts)
    assert figures.weight.names == ()


def test_true_keys_alone_are_counted_and_not_linked(weighted):
    release = mv.mask.RankSwap(p=10).apply(weighted, columns=["c", "d"], seed=1)
    keys = Scenario("keys", ("a", "b"))
    figures = mv.evaluate(weighted, release, measures=["rank-swap-attack", "global-linkage"], scenarios=[keys])
    assert not any("scenario" in name for name in figures.worst.parts)


@pytest.mark.long
def test_the_verdict_is_the_same_with_and_without_an_evaluation(weighted, release):
    alone = mv.plan.verdict_of(release, [TWO, ALL])
    assert alone.worst.parts[f"{TITLE}, scenario all"] == alone.worst.parts[TITLE]
    for scenarios in ([], [TWO]):
        figures = mv.evaluate(weighted, release, measures=["rank-swap-attack", "pil"], scenarios=scenarios)
        assert mv.plan.verdict_of(release, [TWO, ALL], figures).worst.parts == alone.worst.parts


@pytest.mark.long
def test_limits_are_judged_by_the_strongest_attack_in_their_scenario(weighted, release):
    """Linking alone would keep this limit; who intersects the ranks exceeds it."""
    linked = mv.risk.ScenarioRisk(scenarios=(Scenario("four", (), tuple(COLUMNS)),))(weighted, release).value
    attacked = RankSwapAttack(scenario=Scenario("four", (), tuple(COLUMNS)))(weighted, release)
    at_risk = attacked.parts["four: records at risk (%)"]
    assert at_risk > linked + 5
    between = Scenario("four", (), tuple(COLUMNS), {"risk": 0.2, "share": (at_risk + linked) / 2})
    verdict = mv.plan.verdict_of(release, [between])
    assert verdict.ok is False
    assert any(f"({title}), where at most" in verdict.because[0] for title in (TITLE, mv.attack.SimulatedLinkage.title))
    above = Scenario("four", (), tuple(COLUMNS), {"risk": 0.2, "share": (at_risk + 100) / 2})
    assert mv.plan.verdict_of(release, [above]).ok is True


def test_a_limit_is_broken_by_what_one_to_one_linkage_finds_on_average():
    from microveil.plan.verdict_limits import InIt

    limit = Scenario("s", ("a",), (), {"risk": 0.2, "share": 10})
    # a tenth may be found for sure, the others with probability 0.2: 28 %
    assert not InIt("one-to-one", 28.0).breaks(limit)
    assert InIt("one-to-one", 28.1).breaks(limit)
    assert InIt("intersection", 0.0, 10.1).breaks(limit)
    assert not InIt("intersection", 90.0, 10.0).breaks(limit)
