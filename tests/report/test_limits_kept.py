"""Which plan keeps which limit, in sentences."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import microveil as mv
from microveil.core.measured import Measured
from microveil.measure import BrokenRules
from microveil.plan import Trial, WorstCase
from microveil.report import comparison_body, limits_kept, render_comparison

MEASURES = (mv.loss.PIL(), WorstCase())


OTHER = mv.Plan([mv.mask.RankSwap(p=9)])
AVERAGE = "4 % on average, 5.5 at most over 5 draws, where at most 5 % is allowed."


def trial(risk: float, high: float | None = None, **more: object) -> Trial:
    interval = None if high is None else (risk - 1, high)
    figures = {
        "pil": Measured("pil", 3.0, "lower"),
        "worst-case": Measured("worst-case", risk, "lower", interval=interval),
    }
    plan = mv.Plan([mv.mask.RankSwap(p=5)])
    facts = {"measures": MEASURES, "tried": MEASURES, "figures": figures, "draws": 1 if high is None else 5}
    return Trial("A", plan, 3.0, risk, **{**facts, **more})


@pytest.mark.parametrize(
    ("one", "limits", "kept", "said"),
    [
        (trial(5.0), {}, None, ()),
        (
            trial(5.0),
            {"worst-case": 5.0},
            True,
            ("Worst case over attacks is within its limit: 5 %, where at most 5 % is allowed.",),
        ),
        (
            trial(5.1),
            {"worst-case": 5.0},
            False,
            ("Worst case over attacks is above its limit: 5.1 %, where at most 5 % is allowed.",),
        ),
        (
            trial(4.0, 5.5),
            {"worst-case": 5.0},
            False,
            ("Worst case over attacks is above its limit: " + AVERAGE,),
        ),
        (trial(5.0, limits=(1, 1), about_limits=("It is kept.",)), {}, True, ("It is kept.",)),
        (trial(5.0, limits=(4, 5), about_limits=("It is not kept.",)), {}, False, ("It is not kept.",)),
        (trial(5.0, rules=BrokenRules(after=1)), {}, False, ("1 record breaks a rule of the data.",)),
        (trial(5.0, problem="too few"), {"pil": 9.0}, False, ("It was not measured: too few.",)),
    ],
)
def test_every_limit_has_its_sentence_and_holds_in_every_draw(one, limits, kept, said):
    (found,) = limits_kept([one], limits)
    assert (found.kept, found.because) == (kept, said)


def test_a_verdict_says_more_of_a_scenario_than_the_share_alone():
    name = "scenario-risk: rival: records at risk (%)"
    scenario = mv.risk.Scenario("rival", known=["a"], thresholds={"share": 5})
    measure = mv.risk.ScenarioRisk(scenarios=(scenario,))
    share = Measured("scenario-risk", 9.0, "lower", parts={"rival: records at risk (%)": 9.0})
    one = trial(5.0, tried=(*MEASURES, measure))
    one = replace(one, figures={**one.figures, "scenario-risk": share})
    (alone,) = limits_kept([one], {name: 5.0})
    assert alone.because == (
        "Risk by scenario: rival: records at risk (%) is above its limit: 9, where at most 5 is allowed.",
    )
    (judged,) = limits_kept([replace(one, limits=(0, 1), about_limits=("Not kept.",))], {name: 5.0})
    assert judged.because == ("Not kept.",)


def test_the_page_has_a_verdict_for_each_plan_and_speaks_of_its_draws():
    page = render_comparison([trial(4.0), replace(trial(9.0), label="B", plan=OTHER)], limits={"worst-case": 5.0})
    for words in ("keeps every limit", "does not keep every limit", "In this one draw", "--draws 5"):
        assert words in page
    several = render_comparison(
        [trial(4.0, 4.5), replace(trial(9.0, 9.5), label="B", plan=OTHER)], limits={"worst-case": 5.0}
    )
    assert "run once" not in several
    assert "--draws 5" not in several
    assert "Which plan keeps the limits" not in render_comparison([trial(4.0)])
    body = comparison_body([trial(4.0), replace(trial(9.0), label="B", plan=OTHER)])
    assert ("--draws 5" in body, "how often each plan is run: 5" in body) == (False, True)


def test_of_many_plans_those_that_none_beats_and_the_chosen_one_have_a_verdict():
    many = [
        replace(
            trial(30.0 - i if i < 2 else 40.0), label=f"p{i}", loss=float(i), plan=mv.Plan([mv.mask.RankSwap(p=i + 1)])
        )
        for i in range(20)
    ]
    failed = [replace(one, label=f"failed {one.label}", problem="too few") for one in many[:6]]
    page = render_comparison([*many, *failed], limits={"worst-case": 35.0}, chosen=many[7])
    told = re.findall(r'<section class="verdict (yes|no)"><h3>(.*?)</h3>', page)
    assert told == [("yes", "p0"), ("yes", "p1"), ("no", "p7")]
    assert "6 plans are no candidates, and why" in page
