"""Comparing plans: every trial kept, the frontier exact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.measure import BrokenRules
from microveil.plan import Trial, compare, frontier
from tests.firms import AMOUNTS, as_data, firms
from tests.marks import ANY_FILE

FRAME = pd.DataFrame(np.random.default_rng(1).gamma(2.0, size=(80, 2)), columns=["a", "b"])


@ANY_FILE
def test_plans_are_measured_and_failures_keep_their_reason():
    plans = {
        "swap": mv.Plan([mv.mask.RankSwap(p=5)]),
        "too large": mv.Plan([mv.mask.Microaggregation(partition=mv.partition.MDAV(k=81))]),
    }
    swap, failed = compare(FRAME, plans, mv.loss.PIL(), mv.risk.DistanceLinkage(), seed=1)
    assert swap.loss is not None
    assert 0 <= swap.risk <= 100
    assert failed.loss is None
    assert "81" in failed.problem


def test_the_frontier_holds_what_no_other_beats():
    plan = mv.Plan([mv.mask.RankSwap(p=5)])
    points = {"a": (1.0, 9.0), "b": (2.0, 5.0), "dominated": (3.0, 6.0), "c": (4.0, 1.0), "failed": (None, None)}
    trials = [Trial(name, plan, *figures) for name, figures in points.items()]
    assert [trial.label for trial in frontier(trials)] == ["a", "b", "c"]


@ANY_FILE
def test_trials_hold_what_was_measured_and_the_figures_of_the_original():
    plans = {
        "a": mv.Plan(
            [mv.mask.RankSwap(p=5)],
        ),
        "again": mv.Plan([mv.mask.RankSwap(p=9)]),
    }
    loss, risk = mv.loss.PIL(), mv.risk.RankInterval()
    for trial in compare(FRAME, plans, loss, risk, seed=1):
        assert trial.measures == (loss, risk)
        assert trial.original == (0.0, 100.0)
        assert trial.steps[0].columns == ("a", "b")


@ANY_FILE
def test_figures_of_the_original_are_measured_not_assumed():
    plans = {"all": mv.Plan([mv.mask.RankSwap(p=5)])}
    tied = FRAME.assign(a=1.0, b=np.repeat([1.0, 2.0], 40))
    (trial,) = compare(tied, plans, mv.loss.PIL(), mv.risk.DistanceLinkage(), seed=1)
    assert trial.original == (0.0, pytest.approx(100 / 40))


def test_the_frontier_heeds_which_direction_is_better():
    plan, measures = mv.Plan([mv.mask.RankSwap(p=5)]), (mv.loss.PIL(), mv.risk.KAnonymity())
    points = {"a": (1.0, 2.0), "dominated": (2.0, 1.0), "b": (3.0, 5.0)}
    trials = [Trial(name, plan, *figures, measures=measures) for name, figures in points.items()]
    assert [trial.label for trial in frontier(trials)] == ["a", "b"]


def test_plans_that_break_rules_of_the_data_are_counted_and_not_on_the_frontier():
    methods = {"hybrid": mv.hybrid.MicroHybrid(), "ipso": mv.hybrid.MicroHybrid(synthesiser=mv.synth.Ipso())}
    plans = {label: mv.Plan([(method, AMOUNTS)]) for label, method in methods.items()}
    trials = compare(as_data(firms()), plans, mv.loss.PIL(), mv.risk.DistanceLinkage(), seed=7)
    hybrid, ipso = trials
    assert hybrid.rules.after == 0
    assert not hybrid.breaks_rules
    assert ipso.rules.after > 5
    # however little it loses; without rules it would be a candidate
    best = replace(ipso, loss=0.0, risk=0.0)
    assert [trial.label for trial in frontier([hybrid, best])] == ["hybrid"]
    assert [trial.label for trial in frontier([hybrid, replace(best, rules=BrokenRules())])] == ["ipso"]


def test_a_plan_that_is_no_safer_than_the_file_as_it_is_is_never_on_the_frontier():
    sharp = mv.mask.Round(base=0.001)  # everybody is found all the same
    found = compare(FRAME, {"round": sharp, "noise": mv.mask.UncorrelatedNoise(p=2)}, seed=1)
    assert (found[0].risk, found[0].original[1]) == (100, 100)
    assert [trial.label for trial in found.frontier] == ["noise"]
    assert found.sentence == "noise is the only candidate of those compared."


def test_figures_that_must_survive_are_judged_in_every_draw_and_told():
    utility = [
        {"name": "level", "statistic": "mean", "of": "a", "tolerance": 1e-9},
        {"name": "slope", "regression": "a ~ b", "overlap": 0.99},
    ]
    plans = [mv.mask.RankSwap(p=30), mv.mask.UncorrelatedNoise(p=1)]
    found = compare(FRAME, plans, mv.loss.PIL(), mv.risk.DistanceLinkage(), utility=utility, draws=2, seed=1)
    assert [trial.survive for trial in found] == [(0, 2), (0, 2)]
    assert found[0].about_survival[0].startswith("level (mean of a) is kept: ")
    assert found[1].about_survival[0].startswith("level (mean of a) is NOT kept: ")
    assert found.head[3] == "figures that must survive"
    assert [row[3] for row in found.rows] == ["not kept", "not kept"]
    assert found.about_limits == (
        "None of the plans keeps the limits stated in every draw: none may be released as it is.",
    )
    assert not found[0].keeps_limits
    kept = compare(FRAME, plans[:1], mv.loss.PIL(), mv.risk.DistanceLinkage(), utility=utility[:1], seed=1)
    assert kept[0].keeps_limits
    assert kept[0].limits is None


def test_the_loss_is_that_of_a_search_where_nobody_names_one():
    mixed = FRAME.assign(c=["x", "y"] * 40)
    risk = mv.risk.DistanceLinkage()
    assert compare(FRAME, [mv.mask.RankSwap(p=5)], risk=risk, seed=1)[0].measures[0].name == "pil"
    trial = compare(mixed, [mv.mask.RankSwap(p=5)], risk=risk, seed=1)[0]
    assert trial.measures[0].name == "overall-loss"
    assert trial.label == "rank-swap (p: 5)"


def test_running_and_measuring_a_plan_tell_how_far_they_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("microveil.core.progress._APART", -1.0)
    heard: list[float] = []

    class Showing:
        def __call__(self, what: str, number: int, total: int) -> None:
            heard.append(float(number))

        def within(self, share: float) -> None:
            heard.append(share)

    plans = {"a": mv.Plan([mv.mask.RankSwap(p=5)]), "b": mv.Plan([mv.mask.RankSwap(p=9)])}
    compare(FRAME, plans, seed=1, draws=2, progress=Showing())
    first, second = heard[: heard.index(2.0)], heard[heard.index(2.0) :]
    for one in (first[1:], second[1:]):
        assert one == sorted(one)
        assert (
            len([share for share in one if 0.3 < share < 0.9]) > 8
        )  # every measure, and every attack of the worst case
