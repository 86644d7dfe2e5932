"""The recommended plan: a planted optimum, a limit that none keeps, rules, and the sentences."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import microveil as mv
from microveil.core.measured import Measured
from microveil.measure import BrokenRules
from microveil.plan import Plan, Trial, WorstCase
from microveil.plan.overall_loss import OverallLoss
from microveil.plan.recommended import recommend

PLAN = Plan([mv.mask.RankSwap(p=5)])
BOTH = (OverallLoss(), WorstCase())


def trial(label: str, loss: float | None, risk: float | None, linked: bool = True) -> Trial:
    figures = {"distance-linkage": Measured("distance-linkage", 0.0, "lower")} if linked else {}
    if risk is not None:
        parts = {"linkage": risk, "filter": risk / 2}
        figures["worst-case"] = Measured("worst-case", risk, "lower", parts=parts)
    return Trial(label, PLAN, loss, risk, measures=BOTH, original=(0.0, 99.0), figures=figures)


TRIALS = [
    trial("gentle", 2, 40),
    trial("planted", 10, 4.5),
    trial("near", 11, 3),
    trial("safe", 60, 0),
    trial("x", None, None),
]


def test_the_planted_optimum_is_recommended_and_costs_are_told():
    found = recommend(TRIALS, 5)
    assert found.trial.label == "planted"
    assert found.within
    assert found.sentences == (
        "Recommended is planted.",
        "Of 4 candidates, 3 keep the risk within 5 %, and it loses least of these; next is near with a loss of 11 %.",
        "It costs a loss of 10 of 100; attacks find 4.5 % of the records instead of 99 %, most by 'linkage'.",
    )


@pytest.mark.parametrize("limit", [0, 2.9, 3, 4, 39.9, 40, 100])
def test_no_limit_is_ever_broken_where_a_plan_keeps_it(limit):
    found = recommend(TRIALS, limit)
    assert found.within
    assert found.trial.risk <= limit
    assert found.trial.loss == min(one.loss for one in TRIALS if one.risk is not None and one.risk <= limit)


def test_where_none_keeps_the_limit_the_nearest_is_named_with_it():
    found = recommend(TRIALS[:2], 1)
    assert not found.within
    assert found.trial.label == "planted"
    assert found.sentences[1] == (
        "None of 2 candidates keeps the risk within 1 %, the limit that binds; this one comes nearest with 4.5 %."
    )


def test_what_breaks_rules_is_never_recommended():
    broken = replace(TRIALS[1], rules=BrokenRules(after=3))
    assert recommend([TRIALS[0], broken, TRIALS[2]], 5).trial.label == "near"
    assert recommend([broken, TRIALS[4]], 5) is None


def test_synthetic_records_are_told_to_be_beyond_linkage():
    said = recommend([trial("drawn", 20, 0, linked=False)], 5).sentences
    assert "linkage does not apply to its records, which are synthetic" in said[2]
    assert said[1] == "Of 1 candidate it is the only one in which attacks find at most 5 % of the records."


def test_equal_losses_are_decided_by_risk():
    assert recommend([trial("a", 5, 4), trial("b", 5, 3)], 5).trial.label == "b"


def test_the_plan_to_take_names_its_columns():
    frame = pd.DataFrame({"a": range(30), "b": [i * 7 % 30 for i in range(30)]}, dtype=float)
    (tried,) = mv.compare(frame, [mv.mask.RankSwap(p=5)], risk=mv.risk.RankInterval(), seed=1)
    assert tried.plan.steps[0].columns is None
    assert recommend([tried], 100).plan.steps[0].columns == ("a", "b")
