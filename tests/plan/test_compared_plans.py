"""Comparing plans as people do: any form of plan, all figures kept, a table, a map and a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownName
from microveil.core.measured import Measured
from microveil.plan import Comparison, Trial, WorstCase
from microveil.plan.quick_attack import quick_worst_case
from tests.marks import ANY_FILE

FRAME = pd.DataFrame(np.random.default_rng(1).gamma(2.0, size=(80, 2)), columns=["a", "b"])
SWAP = mv.mask.RankSwap(p=5)


@ANY_FILE
def test_plans_come_in_any_form_and_are_called_by_what_they_are(tmp_path: Path):
    path = tmp_path / "careful.yaml"
    mv.Plan([mv.mask.RankSwap(p=15)]).save(path)
    plans = [SWAP, str(path), mv.Plan([SWAP, mv.mask.Rescale()]), SWAP]
    found = mv.compare(FRAME, plans, risk=mv.risk.RankInterval(), seed=1)
    assert [trial.label for trial in found] == [
        "rank-swap (p: 5)",
        "careful",
        "rank-swap (p: 5) then rescale",
        "rank-swap (p: 5) (2)",
    ]
    assert found[0].loss == found[3].loss
    assert found[1].plan == mv.Plan.load(path)


@pytest.mark.parametrize(
    ("plans", "message"),
    [(SWAP, "give a list of plans"), ([], "there is no plan"), ([3], "3 is not a plan"), ("x.yaml", "give a list")],
)
def test_what_is_no_list_of_plans_is_refused(plans, message):
    with pytest.raises(BadInput, match=message):
        mv.compare(FRAME, plans)


@ANY_FILE
def test_loss_and_worst_case_are_taken_unless_others_are_said():
    (trial,) = mv.compare(FRAME, {"swap": SWAP}, seed=1)
    release = SWAP.apply(FRAME, seed=1)
    assert trial.loss == mv.loss.PIL()(FRAME, release).value
    worst = quick_worst_case(mv.measure.Pair.of(FRAME, release))
    assert trial.risk == worst.value == mv.plan.verdict_of(release).worst.value
    assert set(trial.figures) == {"pil", "worst-case"}
    assert trial.original == (0.0, 100.0)
    assert trial.seconds is not None
    assert trial.seconds > 0


@ANY_FILE
def test_all_figures_are_kept_and_objectives_chosen_afterwards():
    more = [mv.loss.MomentChange(), mv.risk.SDInterval()]
    found = mv.compare(FRAME, [SWAP], risk=mv.risk.RankInterval(), measures=more, seed=1)
    (trial,) = found
    assert set(trial.figures) == {"pil", "rank-interval", "moment-change", "sd-interval"}
    assert all(isinstance(one, Measured) for one in trial.figures.values())
    (other,) = found.judged_by("moment-change", "sd-interval")
    assert (other.loss, other.risk) == (trial.figures["moment-change"].value, trial.figures["sd-interval"].value)
    assert other.original == (0.0, 100.0)
    assert other.measures == tuple(more)
    with pytest.raises(UnknownName, match="'sse' was not measured here"):
        found.judged_by("sse", "sd-interval")


@ANY_FILE
def test_plans_on_other_columns_are_measured_on_the_same_ones():
    plans = {"one": mv.Plan([(SWAP, ["a"])]), "both": SWAP}
    one, both = mv.compare(FRAME, plans, risk=mv.risk.RankInterval(), seed=1)
    alone = mv.risk.RankInterval()(FRAME, SWAP.apply(FRAME, columns=["a"], seed=1), columns=["a"])
    # the column that was left as it is gives itself away: half of the cells are disclosed for certain
    assert one.risk == pytest.approx((alone.value + 100) / 2)
    assert both.risk < one.risk


@ANY_FILE
def test_no_measure_hides_another_of_its_name():
    loss = mv.loss.PIL()
    (found,) = mv.compare(FRAME, [SWAP], loss, mv.risk.RankInterval(), measures=[mv.loss.PIL()], seed=1)
    assert set(found.figures) == {"pil", "rank-interval"}
    with pytest.raises(BadInput, match="two measures are called pil, with other parameters"):
        mv.compare(FRAME, [SWAP], loss, measures=[mv.loss.PIL(quantiles="printed")])


@ANY_FILE
def test_a_measure_that_refuses_is_told_and_stops_nobody():
    refusing = mv.risk.KAnonymity(keys=["nobody"])
    (found,) = mv.compare(FRAME, [SWAP], risk=refusing, seed=1)
    assert "nobody" in found.problem
    assert found.risk is None
    assert not found.is_candidate
    assert set(found.figures) == {"pil"}


def trial(label: str, loss: float | None, risk: float | None, width: float = 0.0) -> Trial:
    measures = (mv.loss.PIL(), WorstCase())
    figures = {}
    if loss is not None and risk is not None:
        figures["pil"] = Measured("pil", loss, "lower")
        figures["worst-case"] = Measured("worst-case", risk, "lower", interval=(risk - width, risk + width))
    plan = mv.Plan([mv.mask.RankSwap(p=ord(label) - 60)])  # another one for each label
    return Trial(label, plan, loss, risk, measures=measures, figures=figures)


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ({"A": (1, 9), "B": (2, 10)}, "A is better in both."),
        ({"A": (2, 9), "B": (1, 9)}, "B loses less at the same risk."),
        ({"A": (1, 9), "B": (1, 8)}, "B is safer at the same loss."),
        ({"A": (1, 9), "B": (2, 5)}, "Neither is better in both: A loses less, B is safer."),
        ({"A": (2, 5), "B": (1, 9)}, "Neither is better in both: B loses less, A is safer."),
        ({"A": (1, 9), "B": (1, 9)}, "A and B are as good as one another in both, as far as this comparison tells."),
        ({"A": (1, 9), "B": (None, None)}, "A is the only candidate of those compared."),
        (
            {"A": (1, 9), "B": (1, 9), "C": (1, 9)},
            "All 3 plans are as good as one another in both, as far as this comparison tells.",
        ),
        ({"A": (1, 5), "B": (2, 9), "C": (2, 7)}, "A is better than each of the others, or as good, in both."),
        (
            {"A": (1, 9), "B": (2, 5), "C": (3, 6)},
            "None is better in both: A loses least, B is safest; A and B are beaten by none.",
        ),
    ],
)
def test_one_sentence_says_which_is_better(points, said):
    once = Comparison(trial(label, *figures) for label, figures in points.items())
    if "only candidate" in said:
        assert once.sentence == said
        return
    inside = said[0].lower() + said[1:] if said.startswith(("Neither", "None", "All")) else said
    assert once.sentence == f"In this one draw {inside}"
    # five draws that lie apart, and plans that draw nothing, leave no doubt
    assert Comparison(replace(one, draws=5) for one in once).sentence == said
    fixed = [
        replace(one, plan=mv.Plan([mv.mask.Round(base=i + 1, mode="nearest")])) for i, one in enumerate(once, start=1)
    ]
    assert Comparison(fixed).sentence == said
    assert Comparison(fixed).about_draws == "No plan draws anything: another key gives the same files."


def test_a_difference_that_chance_explains_is_none():
    near = Comparison([trial("A", 2, 9.0, width=1), trial("B", 1, 9.5, width=1)])
    assert near.sentence == "In this one draw B loses less at the same risk."
    apart = Comparison([trial("A", 2, 9.0), trial("B", 1, 9.5)])
    assert apart.sentence.startswith("In this one draw neither")


def test_a_sentence_is_firm_only_where_draws_lie_apart():
    def said(draws: int, width: float) -> str:
        return Comparison(
            replace(trial(*one, width=width), draws=draws) for one in (("A", 1, 9.0), ("B", 2, 12.0))
        ).sentence

    assert said(5, 1.0) == "A is better in both."
    assert said(5, 2.0) == (
        "On average over 5 draws A is better in both; single draws overlap, so that it may be chance."
    )
    assert said(4, 1.0) == "On average over 4 draws A is better in both; so few draws do not rule chance out."
    assert said(5, 4.0) == "A loses less at the same risk."  # each mean lies among the draws of the other


def test_of_three_plans_only_what_the_sentence_says_must_lie_apart():
    def said(width: float) -> str:
        one, other = trial("A", 1, 9.0, width=0.5), trial("B", 2, 5.0, width=0.5)
        return Comparison(replace(t, draws=5) for t in (one, other, trial("C", 3, 8.0, width=width))).sentence

    # whether C is safer than A is not said; that B is safer than C is
    assert said(1.0) == "None is better in both: A loses least, B is safest; A and B are beaten by none."
    assert said(2.6).startswith("On average over 5 draws none is better in both: A loses least, B is safest")


def test_one_plan_given_twice_is_told():
    same = replace(trial("A", 1, 9), label="again")
    assert Comparison([trial("A", 1, 9), same]).sentence == "A and again are the same plan."


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ((None, None), ()),
        (((1, 1), (1, 1)), ("Every plan that ran keeps the limits stated.",)),
        (((3, 3), (2, 3)), ("A keeps the limits stated, the others do not.",)),
        (
            ((0, 1), (0, 1)),
            ("None of the plans keeps the limits stated in every draw: none may be released as it is.",),
        ),
    ],
)
def test_limits_are_told(limits, said):
    found = Comparison([replace(trial("A", 1, 9), limits=limits[0]), replace(trial("B", 2, 5), limits=limits[1])])
    assert found.about_limits == said
    assert ("limits of scenarios" in found.head) is bool(said)


@pytest.mark.long
def test_several_draws_are_means_with_their_scatter():
    frame = pd.DataFrame(np.random.default_rng(1).gamma(2.0, size=(50, 2)).round(3), columns=["a", "b"])
    data = mv.Microdata(frame, roles=dict.fromkeys("ab", "confidential"))
    limits = [mv.risk.Scenario("both", (), ("a", "b"), {"risk": 0.2, "share": 30})]
    plans = {"gentle": mv.mask.RankSwap(p=2), "strong": mv.mask.RankSwap(p=90)}
    found = mv.compare(data, plans, draws=3, seed=1, scenarios=limits)
    one = mv.compare(data, plans, seed=1, scenarios=limits)
    for trial_, first in zip(found, one, strict=True):
        figure = trial_.figures["worst-case"]
        low, high = figure.interval
        assert low <= first.risk <= high
        assert low <= figure.value <= high
        assert trial_.risk == figure.value
    low, high = found[1].figures["worst-case"].interval
    assert low < found[1].risk < high
    assert "Scenario 'both' is not kept" in found[0].about_limits[0]
    assert "Scenario 'both' is kept" in found[1].about_limits[0]
    assert [one.keeps_limits for one in found] == [False, True]
    assert found.about_draws.startswith("Each plan was run under the same 3 keys")
    assert f"({mv.core.numbers.format_number(found[0].figures['pil'].interval[0])} to" in found.rows[0][1]
    with pytest.raises(BadInput, match="draws=0 is less than 1"):
        mv.compare(data, plans, draws=0)


def test_it_prints_as_a_table_and_shows_a_map():
    found = Comparison([trial("A", 1.5, 9), trial("B", 2, 5), replace(trial("C", None, None), problem="too few")])
    assert repr(found).split("\n") == [
        "plan  Probabilistic information loss, %  Worst case over attacks, %  seconds",
        "A                                   1.5                           9        –",
        "B                                     2                           5        –",
        "C                                     –                           –        –",
        "C: too few",
        "In this one draw neither is better in both: A loses less, B is safer.",
        "Each plan was run once: another draw has somewhat other figures.",
    ]
    assert found.map().startswith("<svg")
    assert found.map() in found._repr_html_()
    assert "A loses less, B is safer" in found._repr_html_()
    written = found.to_json()
    assert [one["risk"] for one in written["trials"]] == [9, 5, None]
    assert written["sentence"] == found.sentence
