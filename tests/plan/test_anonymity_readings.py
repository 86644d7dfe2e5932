"""A gap is read as a promise reads it in the columns of that promise, and as a value everywhere else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.measure import Scenario
from microveil.plan.anonymity import agreeing_columns
from microveil.plan.verdict import verdict_of

DRAW = np.random.default_rng(3)
PEOPLE = pd.DataFrame(
    {
        "age": DRAW.choice(["20", "30", "40", "50"], 60),
        "sex": DRAW.choice(["f", "m"], 60),
        "job": [None if row % 5 == 0 else f"job {row}" for row in range(60)],
        "income": DRAW.lognormal(8, 1, 60).round(2),
    }
)
ROLES = {"age": "key", "sex": "key", "job": "key", "income": "confidential"}
EMPLOYER = Scenario("employer", ("job",), thresholds={"risk": 0.2})


@pytest.fixture(scope="module")
def release() -> mv.Release:
    plan = mv.Plan(
        [(mv.mask.LocalSuppression(k=3, missing="wildcard"), ["age", "sex"]), (mv.mask.RankSwap(), ["income"])]
    )
    return plan.run(mv.Microdata(PEOPLE, roles=ROLES), seed=1)


def test_gaps_agree_in_the_columns_of_the_promise_alone(release: mv.Release) -> None:
    assert agreeing_columns(release) == ("age", "sex")


def test_a_scenario_on_other_keys_is_judged_with_gaps_as_a_value(release: mv.Release) -> None:
    # 48 people are alone with their job: 12 without one agree with each of them only if somebody promised that
    verdict = verdict_of(release, [EMPLOYER])
    assert verdict.ok is False
    assert "80 % of the records" in verdict.because[0]


def test_the_same_in_an_evaluation(release: mv.Release) -> None:
    found = mv.evaluate(release.original, release, scenarios=[EMPLOYER], measures=["scenario-risk"])
    assert found.lines[0].result.value == 80.0


@pytest.mark.parametrize(("agreeing", "at_risk"), [(None, 0.0), (("age",), 80.0), (("job",), 0.0)])
def test_columns_whose_gaps_agree_can_be_named(agreeing: tuple[str, ...] | None, at_risk: float) -> None:
    measure = mv.risk.ScenarioRisk(scenarios=(EMPLOYER,), missing="wildcard", agreeing=agreeing)
    assert measure(mv.Microdata(PEOPLE, roles=ROLES)).value == at_risk
