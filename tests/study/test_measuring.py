"""Measuring: the same figures as an evaluation, no further than needed, and no copy of the original among the best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.streams import Key
from microveil.measure import Scenario
from microveil.measure.shares import share_interval
from microveil.plan.overall_loss import OverallLoss
from microveil.study.aims import Aims
from microveil.study.measuring import Bench, Task
from tests.plan.test_proposal import proposed
from tests.study.toys import Shift, study_here

AMOUNTS = pd.DataFrame(np.random.default_rng(2).gamma(2.0, size=(400, 3)), columns=["a", "b", "c"])
KEY = Key.of(3)


def _bench(frame: object = AMOUNTS, **asked: object) -> Bench:
    data = mv.Microdata.of(frame)
    stated = {"objectives": None, "scenarios": (), "at_most": None, "require": (), **asked}
    return Bench(data, Aims.of(data, **stated))


def _values(found):
    return {name: one["value"] for name, one in found.figures.items()}


def test_figures_are_those_of_an_evaluation():
    plan = mv.Plan([mv.mask.RankSwap(p=10)])
    found = _bench().measure(Task(plan, KEY))
    release = plan.run(mv.Microdata(AMOUNTS), seed=KEY)
    said = mv.evaluate(AMOUNTS, release)
    assert found.state == "measured"
    assert _values(found)["worst-case"] == pytest.approx(said.worst.value)
    assert _values(found)["pil"] == mv.loss.PIL()(AMOUNTS, release).value


@pytest.mark.parametrize(
    ("rival", "stage"),
    [((0.0, 0.0), "loss alone"), ((0.0, 0.001), "linkage of some records"), ((0.0, 100.0), None), ((99.0, 0.0), None)],
)
def test_a_plan_is_given_up_as_soon_as_it_is_known_to_be_beaten(rival, stage):
    plan = mv.Plan([mv.mask.RankSwap(p=2)])
    bench = _bench()
    found = bench.measure(Task(plan, KEY, (rival,)))
    whole = bench.measure(Task(plan, KEY))
    assert _values(found)["pil"] == _values(whole)["pil"]
    if stage is None:
        assert found.state == "measured"
        assert _values(found) == _values(whole)
    else:
        assert found.state == "discarded"
        assert f"as {stage} shows" in found.problem
        assert "worst-case" not in found.figures  # no figure of a sample is taken for the risk
        assert found.at_least <= _values(whole)["worst-case"]


def test_copies_of_originals_are_a_bound_of_their_own():
    # most records are too far from the ends to be touched
    plan = mv.Plan([mv.mask.TopBottomCode(share=0.02)])
    found = _bench().measure(Task(plan, KEY, ((-1.0, 50.0),)))
    assert found.state == "discarded"
    assert "as copies of originals shows" in found.problem


def test_synthetic_records_beat_nobody_that_has_an_original():
    bench = _bench()
    swap, drawn = mv.Plan([mv.mask.RankSwap(p=10)]), mv.Plan([mv.synth.Ipso()])
    best = ((0.0, 0.0),)
    assert bench.measure(Task(swap, KEY, (), best)).state == "measured"
    assert bench.measure(Task(drawn, KEY, best, ())).state == "measured"
    assert bench.measure(Task(drawn, KEY, (), best)).state == "discarded"
    assert bench.measure(Task(drawn, KEY)).synthetic


@pytest.mark.long
def test_the_file_as_it_was_is_never_among_the_best():
    study = study_here(8, data=AMOUNTS[:150], objectives=("pil", "worst-case"), methods=("swap-in-groups", "rank-swap"))
    copied = [trial for trial in study.trials if trial.state == "copies the original"]
    assert copied  # whole records changed places: the same file
    assert not any(trial in study.frontier or trial in study.keeping() for trial in copied)
    assert study.frontier
    assert min(trial.loss for trial in study.frontier) > 0


@pytest.mark.long
def test_what_is_as_unsafe_as_the_original_as_far_as_its_records_tell_is_no_candidate():
    found = _bench().original()
    assert (found.loss, found.risk) == (0, 100)
    assert found.barely == pytest.approx(share_interval(100, 400)[0])
    study = study_here(1, data=AMOUNTS, objectives=("pil", "worst-case"), methods=("rank-swap",))
    trial = study.trials[0]
    nearly = replace(trial, risk=found.barely + 0.1)
    assert not nearly.is_candidate
    assert replace(trial, risk=found.barely - 0.1).is_candidate


def test_rules_promises_and_classes_end_a_trial():
    data = mv.Microdata(AMOUNTS, edits=["a >= 0"])
    noise = Task(mv.Plan([mv.mask.UncorrelatedNoise(p=2.0)]), KEY)
    broken = _bench(data).measure(noise)
    assert broken.state == "breaks rules"
    assert broken.rules[1] > broken.rules[0] == 0
    unpromised = _bench(require=["ValuesKept"]).measure(noise)
    assert unpromised.state == "promises too little"
    recoded = Task(mv.Plan([(mv.mask.GlobalRecode(), ["a"]), (mv.mask.RankSwap(p=9), ["b", "c"])]), KEY)
    found = _bench().measure(recoded)
    assert (found.state, found.problem) == ("not measured", "pil says nothing of a as released")


def test_a_fault_of_a_method_is_told_and_ends_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Shift, "rows", lambda *_: 1 / 0)
    found = _bench().measure(Task(mv.Plan([Shift()]), KEY))
    assert found.state == "failed"
    assert "ZeroDivisionError" in found.problem


@pytest.mark.long
def test_limits_of_scenarios_are_judged_as_in_a_verdict():
    frame = AMOUNTS.assign(region=["north", "south"] * 200)
    roles = {"region": "key", "a": "confidential", "b": "confidential", "c": "confidential"}
    data = mv.Microdata(frame, roles=roles)
    strict = Scenario("knows much", ("region",), ("a", "b", "c"), thresholds={"risk": 0.05, "share": 0})
    plan = mv.Plan([(mv.mask.RankSwap(p=2), ["a", "b", "c"])])
    found = _bench(data, scenarios=(strict,)).measure(Task(plan, KEY))
    verdict = mv.plan.verdict_of(plan.run(data, seed=KEY), [strict])
    assert verdict.ok is False
    assert set(found.over) == {"knows much"}
    assert found.scenarios["knows much"] > 0
    lenient = Scenario("knows little", ("region",), thresholds={"risk": 0.5, "share": 0})
    assert not _bench(data, scenarios=(lenient,)).measure(Task(plan, KEY)).over


@pytest.mark.long
@pytest.mark.parametrize("method", [None, mv.mask.UncorrelatedNoise(p=0.01)])
def test_what_is_proven_decides_as_in_a_verdict(method):
    # as in tests of proven limits: a draw may link more than the limit, where the proof bounds the risk of everybody
    pay = np.random.default_rng(1).lognormal(7, 0.3, 240)[120:].round(2)
    data, project = proposed(pd.DataFrame({"pay": pay}))
    (scenario,) = project.scenarios
    plan = project.plan if method is None else mv.Plan([(method, ["pay"])])
    bench = _bench(data, scenarios=project.scenarios)
    shares = []
    for number in (0, 7):
        found = bench.measure(Task(plan, Key.of(number)))
        verdict = mv.plan.verdict_of(plan.run(data, seed=Key.of(number)), project.scenarios)
        assert verdict.ok is (method is None)
        assert found.over == ({} if verdict.ok else {scenario.name: verdict.because[0]})
        assert _values(found)["worst-case"] == verdict.worst.value
        shares.append(found.scenarios[scenario.name])
    assert max(shares) > scenario.limit("share")  # the second draw alone would have been refused


def test_amounts_and_categories_count_both():
    frame = AMOUNTS.assign(region=["north", "south"] * 200)
    data = mv.Microdata(frame, roles={"region": "key", "a": "confidential", "b": "confidential", "c": "confidential"})
    assert _bench(data).aims.names == ("overall-loss", "worst-case")
    assert _bench(AMOUNTS).aims.names == ("pil", "worst-case")
    swapped = mv.Plan([(mv.mask.RankSwap(p=10), ["a", "b", "c"])]).run(data, seed=1)
    blurred = mv.Plan([(mv.mask.Pram(stay=0.5), ["region"])]).run(data, seed=1)
    assert OverallLoss()(data, swapped).value == mv.loss.PIL()(data, swapped).value
    found = OverallLoss()(data, blurred)
    assert found.parts["amounts"] == 0
    assert found.value == found.parts["categories"] > 0
