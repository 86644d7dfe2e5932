"""Limits: what is recommended keeps them all, and where nothing does the nearest plan is named with what binds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput, OverLimit, UnknownName
from microveil.core.measured import Measured
from microveil.core.streams import Key
from microveil.measure import Scenario
from microveil.plan.trial import frontier
from microveil.report import render_study
from microveil.report.map_text import text_map
from microveil.report.study_map import study_map
from microveil.study import Study
from microveil.study.aims import Aims
from microveil.study.arms import Arms
from microveil.study.confirming import Confirmed
from microveil.study.journal import Journal
from microveil.study.measuring import Bench
from microveil.study.searching import Run
from microveil.study.tried import Tried
from microveil.study.workers import Here
from tests.study.toys import FRAME, Exposed, Lost, study_here


def test_the_least_loss_within_the_limits_is_chosen_whatever_they_are():
    study = study_here(30)
    for limit in (0.0, 51.0, 53.0, 60.0, 100.0):
        fitting = [trial for trial in study.trials if trial.is_candidate and trial.risk <= limit]
        if fitting:
            best = study.best(max_risk=limit)
            assert best.risk <= limit
            assert best.loss == min(trial.loss for trial in fitting)
        else:
            with pytest.raises(OverLimit, match="toy-exposed may be 0 at most"):
                study.best(max_risk=limit)


def test_where_nothing_keeps_the_limits_the_nearest_plan_and_the_binding_limit_are_named():
    study = study_here(30, at_most={"toy-exposed": 40, "toy-lost": 1000})
    trial, over = study.nearest()
    least = min((one for one in study.trials if one.is_candidate), key=lambda one: one.risk)
    assert trial == least
    assert (over.limit, over.found, over.allowed) == ("toy-exposed", least.risk, 40)
    assert study.keeping() == ()
    assert study.confirmed == ()  # nothing to confirm
    said = study.recommend()
    assert f"{least.label} comes nearest" in said
    assert "toy-exposed may be 40 at most" in said
    with pytest.raises(OverLimit, match="comes nearest"):
        study.best()


def test_a_draw_that_breaks_a_limit_takes_the_recommendation_away():
    study = study_here(30, at_most={"toy-exposed": 60})
    best = study.best()
    figures = {**best.figures, "toy-exposed": replace(best.figures["toy-exposed"], value=60.5)}
    unlucky = replace(best, figures=figures, risk=60.5)
    again = replace(study, confirmed=(Confirmed((best, best, unlucky)),))
    assert again.best().text != best.text
    assert all(not again.aims.over(trial) for trial in again.keeping())
    assert f"some draws did not keep the limits: {best.label}" in again.recommend()
    alone = Study((best,), study.aims, again.confirmed)
    assert alone.keeping() == ()
    assert alone.nearest()[1].found == 60.5


def test_plans_that_were_run_again_in_vain_are_not_said_to_have_been_run_once():
    study = study_here(30, at_most={"toy-exposed": 60})
    best = study.best()
    figures = {**best.figures, "toy-exposed": replace(best.figures["toy-exposed"], value=60.5)}
    failed = (Confirmed((best, replace(best, figures=figures, risk=60.5))),)
    alone, beside = Study((best,), study.aims, failed), replace(study, confirmed=failed)
    told = "Every plan was run once, and 1 was run again: figures of this one are means, with the lowest and the "
    assert alone.about_draws == told + "highest draw."
    assert beside.about_draws == told + "highest draw. The recommended one was not confirmed under fresh keys."
    assert alone.about_draws in render_study(alone)
    assert Study((best,), study.aims).keeping()
    assert replace(alone, confirmed=(), trials=()).about_draws == "Every plan was run once."


def test_limits_afterwards_are_of_what_was_measured():
    study = study_here(6)
    with pytest.raises(UnknownName, match="'pil' was not measured in this study"):
        study.best(at_most={"pil": 3})
    assert study.best(at_most={"toy-lost": 90}).loss <= 90


def test_a_figure_of_which_more_is_better_has_no_upper_limit():
    study = study_here(4)
    with pytest.raises(BadInput, match="more of k-anonymity is better"):
        replace(study, aims=Aims(Lost(), mv.risk.KAnonymity())).best(max_risk=3)


def test_a_limit_of_a_figure_of_which_more_is_better_is_refused_at_once():
    with pytest.raises(BadInput, match=r"more of k-anonymity is better, .* take it out of at_most"):
        mv.search(FRAME, at_most={"k-anonymity": 3}, trials=1)
    with pytest.raises(BadInput, match="more of k-anonymity is better"):
        Aims(Lost(), Exposed(), others=(mv.risk.KAnonymity(),)).check_limits({"k-anonymity": 3})


def _kept_within(tolerance: float) -> list[dict[str, object]]:
    return [
        {"name": "level", "statistic": "mean", "of": "x", "tolerance": tolerance},
        {"name": "spread", "statistic": "sd", "of": "y", "tolerance": 0.01},
    ]


def test_what_is_recommended_keeps_the_figures_that_must_survive():
    # the mean of x is 5, and a shift of so many thousands changes it by 200 times as much
    study = study_here(20, utility=_kept_within(40))
    assert study.aims.is_limited
    free = study_here(20)
    assert free.best().reached == {}
    best = study.best()
    assert best.reached["level"].kept
    assert best.reached["level"].found <= 40
    assert best.text != free.best().text  # which loses less
    dropped = [one for one in study.trials if one.state == "measured" and not one.reached["level"].kept]
    assert dropped
    assert not any(one in study.keeping() for one in dropped)
    assert all(draw.reached["level"].kept for draw in study.confirmed_draws(best).draws)
    assert study.to_json()["trials"][0]["utility"]["level"]["kept"] is study.trials[0].reached["level"].kept
    page = render_study(study)
    assert "level (mean of x) is kept: " in page
    assert "All 2 figures that must survive do so in every draw." in study.recommend()


def test_where_no_plan_keeps_a_figure_it_is_named():
    study = study_here(12, utility=_kept_within(0.5), at_most={"toy-exposed": 99})
    assert study.keeping() == ()
    trial, over = study.nearest()
    assert over.limit == "the figure 'level' (mean of x)"
    least = min((one for one in study.trials if one.is_candidate), key=lambda one: one.reached["level"].found)
    assert trial == least
    assert "must survive: " in study.recommend()
    assert "50 % are tolerated" in study.recommend()
    with pytest.raises(OverLimit, match="what binds is that the figure 'level'"):
        study.best()


def test_a_figure_that_was_not_measured_does_not_survive():
    study = study_here(6, utility=_kept_within(40))
    unknown = replace(study.trials[0], reached={})
    assert [one.found for one in study.aims.over(unknown) if "figure" in one.limit] == [None, None]


def test_figures_that_must_survive_are_checked_before_anything_runs():
    with pytest.raises(UnknownName, match="z"):
        study_here(2, utility=[{"name": "a", "statistic": "mean", "of": "z", "tolerance": 0.1}])
    with pytest.raises(BadInput, match="utility is a text"):
        study_here(2, utility="mean(x)")


def test_a_limit_that_was_not_measured_is_not_kept():
    study = study_here(4)
    trial = study.trials[0]
    silent = replace(trial, figures={"toy-lost": trial.figures["toy-lost"]})
    (over,) = Aims(Lost(), Exposed(), at_most={"toy-exposed": 99}).over(silent)
    assert over.found is None
    assert over.excess == float("inf")
    assert "it was not measured" in over.words


def test_what_protects_no_more_than_the_original_is_never_among_the_best():
    study = study_here(30)
    assert study.trials[0].original == (pytest.approx(37.0), pytest.approx(50 + 37**2 / 100))
    far = [trial for trial in study.trials if trial.state == "measured" and trial.loss >= 37]
    assert far  # such plans were tried
    assert not any(trial.is_candidate for trial in far)
    assert not any(trial in study.frontier for trial in far)


def test_a_plan_that_was_not_confirmed_is_told_so_everywhere():
    study = study_here(20, at_most={"toy-exposed": 60})
    assert study.is_confirmed
    assert study.about_draws == (
        "Every plan was run once, the recommended one 5 times: figures of these are means, with the lowest and the "
        "highest draw."
    )
    assert "; it was run 5 times under keys of their own and kept every limit." in study.recommend()
    once = replace(study, confirmed=())
    assert not once.is_confirmed
    assert once.about_draws == "Every plan was run once; the recommended one was not confirmed under fresh keys."
    assert ", which was run once and is not confirmed: other draws may break limits." in once.sentences()[0]
    assert once.to_json()["is_confirmed"] is False
    for one in (study, once):
        assert one.about_draws in render_study(one)
        assert one.sentences()[0] in one.recommend()


def test_objectives_can_be_chosen_afterwards():
    study = study_here(12, measures=("pil",), at_most={"toy-lost": 1000})
    other = study.judged_by("pil", "toy-exposed")
    assert other.aims.names == ("pil", "toy-exposed")
    for before, after in zip(study.trials, other.trials, strict=True):
        assert after.loss == (before.figures["pil"].value if "pil" in before.figures else None)
        assert after.risk == before.risk
    assert other.trials[0].original == (0.0, study.trials[0].original[1])
    assert other.head[1] == "Probabilistic information loss, %"
    assert other.best().loss == min(one.loss for one in other.keeping())
    assert other.judged_by("toy-lost", "toy-exposed").best() == study.best()
    with pytest.raises(UnknownName, match="'verbatim' was not measured in this study"):
        study.judged_by("pil", "verbatim")


def test_three_sentences_say_which_why_and_what_it_costs():
    study = study_here(20, at_most={"toy-exposed": 60})
    best = study.best()
    what, why, cost = study.sentences()
    assert what.startswith(f"Recommended is {best.label}; ")
    candidates = sum(trial.is_candidate for trial in study.trials)
    assert why.startswith(f"Of {candidates} candidates {len(study.keeping())} keep all limits, and it loses least")
    second = sorted(one.loss for one in study.keeping())[1]
    assert why.endswith(f"with a loss (Lost) of {second:.4g}.")
    told = f"Its loss (Lost) is {best.loss:.4g} each time; its risk (Exposed) is {best.risk:.4g} each time, where the "
    assert cost.startswith(told)
    assert (
        "and 3 records are left out" in replace(study, trials=(replace(best, left_out=3),), confirmed=()).sentences()[2]
    )
    none = study_here(6, at_most={"toy-exposed": 40}).sentences()
    assert none[0].startswith("No plan is recommended: none of ")
    assert "comes nearest; what binds is that toy-exposed may be 40 at most" in none[1]


def test_the_plan_to_take_names_its_columns():
    best = study_here(4).best()
    assert best.plan.steps[0].columns is None
    assert best.plan_with_columns.steps[0].columns == ("x", "y")


def test_a_limit_of_a_scenario_is_on_what_is_found_in_it_and_not_in_one_of_a_longer_name():
    scenarios = [Scenario("near", ("x",)), Scenario("near town", ("y",)), Scenario("far, scenario near", ("y",))]
    data = mv.Microdata(FRAME, roles={"x": "key", "y": "key"})
    aims = Aims.of(data, ("pil", "worst-case"), scenarios, {"near": 20}, ())
    parts = {
        "Risk by scenario, scenario near": 10.0,
        "Linkage, scenario near": 12.0,
        "Linkage, scenario near town": 70.0,
        "Linkage, scenario far, scenario near": 80.0,
        "Linkage": 90.0,
    }
    figure = Measured("worst-case", 90.0, "lower", (0.0, 100.0), parts=parts)
    trial = Tried("one", mv.Plan([mv.mask.RankSwap()]), figures={"worst-case": figure})
    assert [aims.value(one.name, trial) for one in scenarios] == [12.0, 70.0, 80.0]
    assert aims.over(trial) == ()


def test_what_few_synthetic_records_tell_is_not_said_to_be_more():
    data = mv.Microdata(mv.datasets.make_enterprises(10, seed=1).select(["total_revenue", "total_sales"]))
    aims = Aims.of(data, None, (), {"worst-case": 10}, ())
    bench = Bench(data, aims)
    arms = Arms.of(data, None, ("ipso",), ())
    study = Run(bench, bench.original(), arms, Journal(None, {}), Here(bench.measure), Key.of(1)).study(None, 1, {})
    (trial,) = study.trials
    assert trial.synthetic
    assert trial.risk == 0
    said = study.recommend()
    # nobody could try whether membership is told: ten records are too few
    assert "what was tried instead (Records released as they are (advantage over guessing))" in said
    assert "so few records tell no more than that it is below 27.8" in said
    assert "learnt" not in said


def test_where_plans_failed_only_when_run_again_that_is_told():
    study = study_here(30, at_most={"toy-exposed": 60})
    best = study.best()
    unlucky = replace(best, figures={**best.figures, "toy-exposed": replace(best.figures["toy-exposed"], value=60.5)})
    alone = Study((best,), study.aims, (Confirmed((best, unlucky)),))
    assert f"some draws did not keep the limits: {best.label}" in alone.recommend()
    assert "keeps all limits in every draw" in alone.sentences()[0]


def test_a_plan_whose_one_draw_was_lucky_does_not_stay_the_best():
    study = study_here(30, at_most={"toy-exposed": 60})
    first = next(one for one in study.trials if one.text == study.best().text)
    second = min((one for one in study.keeping() if one is not first), key=lambda one: one.loss)
    lucky = Confirmed((first, _drawn(first, 90.0, first.risk)))
    once = replace(study, confirmed=(lucky,))
    assert once.contender() is second  # it is to be run again
    assert once.best().text == first.text  # until then what was confirmed goes before
    assert "it loses least of those that were run again; in its one draw" in once.recommend()
    assert f"is {(first.loss + 90) / 2:.3g} on average ({first.loss:.3g} to 90)" in once.sentences()[2]
    both = replace(study, confirmed=(lucky, Confirmed((second, second))))
    assert both.best().text == both.contender().text == second.text
    assert "mean of 2 draws" in render_study(both)


@cache
def _synthetic_and_linked():
    """A scenario on amounts, a limit on it, and a trial of synthetic and one of linked records as they are measured."""
    data = mv.Microdata(mv.datasets.make_enterprises(60, seed=1).select(["total_revenue", "total_sales"]))
    aims = Aims.of(data, None, [Scenario("rival", known=("total_revenue",))], {"rival": 20}, ())
    bench = Bench(data, aims)
    arms = Arms.of(data, None, ("ipso", "uncorrelated-noise"), ())
    run = Run(bench, bench.original(), arms, Journal(None, {}), Here(bench.measure), Key.of(1))
    return run.study(None, 6, {})


def test_a_limit_of_a_scenario_without_an_attack_is_said_to_be_not_judged():
    study = _synthetic_and_linked()
    made = next(one for one in study.trials if one.synthetic and one.state == "measured")
    linked = next(one for one in study.trials if not one.synthetic and one.state == "measured")
    assert made.nobody == ("rival",)
    assert linked.nobody == ()
    assert study.aims.unjudged(linked) == {}
    assert study.aims.over(made) == ()
    told = "no attack of scenario 'rival' applies to these records, which are synthetic: not judged"
    assert study.aims.unjudged(made)["rival"].startswith(told)
    alone = replace(study, trials=(made,), confirmed=())
    for text in (alone.recommend(), alone.sentences()[0], render_study(alone).replace("&#39;", "'")):
        assert told in text
    assert "not judged: limit of scenario 'rival'" in alone.rows[0][-1]
    again = replace(alone, confirmed=(Confirmed((made, made)),))
    assert f"kept every limit that could be judged ({told}" in again.recommend()


def test_what_other_attacks_find_breaks_a_limit_that_no_attack_of_its_scenario_could_judge():
    study = _synthetic_and_linked()
    made = next(one for one in study.trials if one.synthetic and one.state == "measured")
    worst = replace(made.figures["worst-case"], value=30.0)
    copied = replace(made, figures={**made.figures, "worst-case": worst}, risk=30.0)
    (over,) = study.aims.over(copied)
    assert (over.found, over.allowed) == (30.0, 20.0)
    assert "no attack of scenario 'rival' applies" in over.words
    assert "other attacks found 30, where 20 may be found at most" in over.words
    assert study.aims.unjudged(copied) == {}


def test_a_scenario_about_people_that_could_not_be_measured_is_not_kept():
    study = _synthetic_and_linked()
    linked = next(one for one in study.trials if not one.synthetic and one.state == "measured")
    outside = {name: value for name, value in linked.figures["worst-case"].parts.items() if "scenario" not in name}
    silent = replace(linked, figures={"worst-case": replace(linked.figures["worst-case"], parts=outside)})
    (over,) = study.aims.over(silent)
    assert over.found is None
    assert "rival may be 20 at most, and it was not measured" in over.words


def _drawn(trial, loss, risk):
    """The trial under another key."""
    figures = {
        name: replace(trial.figures[name], value=value) for name, value in (("toy-lost", loss), ("toy-exposed", risk))
    }
    return replace(trial, loss=loss, risk=risk, figures={**trial.figures, **figures})


def test_what_was_run_again_stands_everywhere_by_the_means_of_its_draws():
    study = study_here(20, at_most={"toy-exposed": 60})
    best = next(one for one in study.trials if one.text == study.best().text)
    again = replace(study, confirmed=(Confirmed((best, _drawn(best, best.loss + 4, 58.0))),))
    mean, (low, high) = best.loss + 2, (f"{best.loss:.3g}", f"{best.loss + 4:.3g}")
    shown = next(one for one in again.shown if one.text == best.text)
    assert (shown.loss, shown.draws, len(shown.each)) == (pytest.approx(mean), 2, 2)
    assert shown.figures["toy-lost"].interval == (best.loss, best.loss + 4)
    # the frontier is that of the means: another plan that loses less and is as safe takes its place
    assert again.frontier == tuple(frontier(again.shown))
    assert next(one for one in again.trials if one.text == best.text) is best  # the study keeps what was drawn
    row = next(row for row in replace(again, trials=(best,)).rows)
    assert row[1].startswith(f"{mean:.3g}")
    assert f"({low} to {high})" in row[1]
    assert row[3] == "confirmed: mean of 2 draws"
    alone = replace(again, trials=(best,))
    point = next(point for point in study_map(alone).points if not point.reference)
    assert point.values["toy-lost"] == pytest.approx(mean)
    assert point.spread["toy-lost"] == (best.loss, best.loss + 4)
    for text in (render_study(alone), alone.compared.map(), repr(alone)):
        assert f"({low} to {high})" in text
    drawn = text_map(study_map(alone), 200)
    assert f"(mean of 2 draws: loss {low} to {high}" in drawn
    assert "figures of these are means, with the lowest and the highest draw" in again.about_draws


def test_a_plan_of_which_one_draw_fails_is_not_on_the_frontier():
    study = study_here(20)
    best = next(one for one in study.trials if one.text == study.best().text)
    broken = replace(best, state="breaks rules", problem="3 records break a rule of the data", figures={}, loss=None)
    again = replace(study, confirmed=(Confirmed((best, replace(broken, risk=None))),))
    assert best.text not in {one.text for one in again.frontier}
    shown = next(one for one in again.shown if one.text == best.text)
    assert shown.problem == "in a draw under a fresh key: 3 records break a rule of the data"


def test_a_promise_on_moments_is_asked_of_amounts_alone():
    draw = np.random.default_rng(1)
    table = pa.table({"x": draw.normal(size=60), "y": draw.normal(size=60), "c": draw.choice(list("ab"), 60)})
    data = mv.Microdata(table, roles={"c": "key"})
    aims = Aims.of(data, None, (), None, ["MeansKept", mv.claims.CovariancesKept])
    whole = mv.Plan([(mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=6)), ["x", "y", "c"])]).run(data, seed=1)
    assert set(whole.columns) == {"x", "y", "c"}
    assert aims.unpromised(whole) == ()
    noisy = mv.Plan([(mv.mask.ExactNoise(p=0.1), ["x"]), (mv.mask.UncorrelatedNoise(p=0.1), ["y"])]).run(data, seed=1)
    assert [type(one).__name__ for one in aims.unpromised(noisy)] == ["MeansKept", "CovariancesKept"]


def test_a_limit_on_what_there_is_not_offers_measures_and_scenarios():
    data = mv.Microdata(FRAME, roles={"x": "key"})
    for name, near in (("wurst-case", "worst-case"), ("nehr", "near"), ("ovrall-loss", "overall-loss"), ("pli", "pil")):
        with pytest.raises(UnknownName, match=f"no measure or scenario is called so; did you mean '{near}'"):
            Aims.of(data, None, [Scenario("near", ("x",))], {name: 5}, ())
