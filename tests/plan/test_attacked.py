"""What each attack found, which of them succeed, and the advice that follows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.attack import Attack, RankSwapAttack, Verbatim
from microveil.core.measured import Measured
from microveil.core.registry import registered
from microveil.measure import Measure
from microveil.plan.attacked import advice_lines, attacked
from microveil.risk import DistanceLinkage, GlobalLinkage, Scenario

COLUMNS = list("abcd")


def figure(name: str, value: float, **parts: float) -> Measured:
    return Measured(name, value, "lower", (0.0, 100.0), parts=parts, unit="%")


@pytest.fixture(scope="module")
def four_amounts() -> mv.Microdata:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(100, 4)) @ (np.eye(4) + 0.4)
    return mv.Microdata(pd.DataFrame(X.round(3), columns=COLUMNS))


@pytest.fixture(scope="module")
def release(four_amounts) -> mv.Release:
    return mv.mask.RankSwap(p=10).apply(four_amounts, columns=COLUMNS, seed=1)


def test_every_attack_says_what_helps():
    members = [cls for cls in registered(Measure) if cls.reidentifies or issubclass(cls, Attack)]
    assert len(members) >= 8
    assert all(cls.advice.endswith(".") for cls in members)


def test_the_first_is_the_one_of_the_headline(four_amounts, release):
    for scenarios in ([], [Scenario("two", (), ("a", "b"))], [Scenario("one", (), ("a",))]):
        figures = mv.evaluate(four_amounts, release, measures="quick", scenarios=scenarios)
        first = figures.attacked[0]
        assert first.found == figures.worst.value
        named = f"{first.title}, scenario {first.scenario}" if first.scenario else first.title
        assert f"({named})" in figures.worst.reading
        assert {one.scenario for one in figures.attacked} == {"", *(one.name for one in scenarios)}


def test_a_scenario_that_is_counted_may_be_the_first():
    frame = pd.DataFrame({"key": np.arange(60), "x": np.random.default_rng(2).normal(size=60)})
    data = mv.Microdata(frame, roles={"key": "key", "x": "confidential"}, kinds={"key": "nominal"})
    release = mv.mask.UncorrelatedNoise(p=1.0).apply(data, columns=["x"], seed=1)
    figures = mv.evaluate(data, release, measures=["scenario-risk"], scenarios=[Scenario("keys", ("key",))])
    (only,) = figures.attacked
    assert (only.title, only.scenario, only.found, only.succeeds) == ("Risk by scenario", "keys", 100.0, True)
    assert mv.evaluate(data, release, measures=["scenario-risk"]).attacked == ()


def test_of_several_ways_the_strongest_is_told():
    said = [
        (DistanceLinkage(), figure("distance-linkage", 10)),
        (DistanceLinkage(scale="ranks"), figure("distance-linkage", 30)),
        (GlobalLinkage(), figure("global-linkage", 20)),
    ]
    found = attacked(said, 200, None)
    assert [(one.title, one.found) for one in found] == [
        ("Distance-based record linkage by ranks", 30),
        ("One-to-one record linkage", 20),
    ]
    # they share the advice, which is told once
    assert len(advice_lines(found)) == 1


def succeeds(measure: Measure, result: Measured, records: int = 1000, k: int | None = None) -> bool:
    (one,) = attacked([(measure, result)], records, k)
    assert bool(one.advice) is one.succeeds
    return one.succeeds


def test_success_is_more_than_guessing_and_than_a_proof_allows():
    attack = RankSwapAttack()
    assert succeeds(attack, figure(attack.name, 5.0, baseline=0.1))
    assert not succeeds(attack, figure(attack.name, 0.9, baseline=0.1))  # less than 1 % more
    assert not succeeds(attack, figure(attack.name, 5.0, baseline=4.0))  # within the interval
    assert not succeeds(attack, figure(attack.name, 10.5, baseline=0.1), k=10)
    assert succeeds(attack, figure(attack.name, 20.0, baseline=0.1), k=10)


def test_more_than_a_scenario_tolerates_is_success_whatever_is_proven():
    strict = Scenario("s", (), ("a",), {"risk": 0.05, "share": 1})
    attack = RankSwapAttack(scenario=strict)
    at_risk = {"s: records at risk (%)": 2.0, "baseline": 0.1}
    assert succeeds(attack, figure(attack.name, 9.0, **at_risk), k=10)
    assert not succeeds(attack, figure(attack.name, 9.0, **{**at_risk, "s: records at risk (%)": 1.0}), k=10)
    # without the share the mean decides: 0.01 + 0.99 * 0.05 = 5.95 %
    linkage = GlobalLinkage(scenario=strict)
    assert succeeds(linkage, figure(linkage.name, 6.0), k=10)
    assert not succeeds(linkage, figure(linkage.name, 5.9), k=10)


def test_copies_of_many_equal_originals_are_no_success():
    assert not succeeds(Verbatim(), figure("verbatim", 90.0, unique=0.0, baseline=20.0))
    assert succeeds(Verbatim(), figure("verbatim", 90.0, unique=60.0, baseline=20.0))
    (one,) = attacked([(Verbatim(), figure("verbatim", 90.0, unique=60.0, baseline=20.0))], 100, None)
    assert one.counts
    assert one.found == 40.0


@pytest.mark.long
def test_people_are_told_in_evaluations_reports_and_json(four_amounts, release, tmp_path):
    figures = mv.evaluate(four_amounts, release, measures=["rank-swap-attack", "verbatim"])
    (line, *_) = advice_lines(figures.attacked)
    assert line in repr(figures)
    assert line.startswith("Intersection of swapped ranks: ")
    assert line.endswith(RankSwapAttack.advice)
    assert figures.to_json()["attacked"][0]["advice"] == RankSwapAttack.advice
    verdict = mv.plan.verdict_of(release, (), figures)
    assert verdict.attacked[0].found == verdict.worst.value
    release.report(tmp_path / "page.html", evaluation=figures)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "What each attack found" in page
    assert RankSwapAttack.advice in page
    assert "p=20 instead of 10: " in page


def test_nothing_is_advised_where_nothing_succeeds(four_amounts, tmp_path):
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=20)).apply(four_amounts, columns=COLUMNS, seed=1)
    figures = mv.evaluate(four_amounts, release, measures="quick")
    assert figures.attacked
    assert not any(one.succeeds for one in figures.attacked)
    release.report(tmp_path / "page.html", evaluation=figures)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "What each attack found" in page
    assert "What helps against" not in page


def test_of_attacks_that_found_as_many_the_same_one_is_named_in_any_order():
    from microveil.plan.worst_case import worst_case

    def said(measure, value):
        return measure, Measured(measure.name, value, "lower", (0.0, 100.0), unit="%")

    both = [said(mv.risk.DistanceLinkage(), 7.0), said(mv.risk.GlobalLinkage(), 7.0)]
    one, other = worst_case(both, 100), worst_case(both[::-1], 100)
    assert one.reading == other.reading
    first, second = attacked(both, 100, None), attacked(both[::-1], 100, None)
    assert [each.title for each in first] == [each.title for each in second]
    assert first[0].title in one.reading
