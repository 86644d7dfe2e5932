"""Limits: what is recommended keeps them all, and where nothing does the nearest plan is named with what binds."""

from __future__ import annotations

from dataclasses import replace

import pytest

import microveil as mv
from microveil.core.errors import BadInput, OverLimit, UnknownName
from microveil.study import Study
from microveil.study.aims import Aims
from microveil.study.confirming import Confirmed
from tests.study.toys import Exposed, Lost, study_here


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


def test_limits_afterwards_are_of_what_was_measured():
    study = study_here(6)
    with pytest.raises(UnknownName, match="'pil' was not measured in this study"):
        study.best(at_most={"pil": 3})
    assert study.best(at_most={"toy-lost": 90}).loss <= 90


def test_a_figure_of_which_more_is_better_has_no_upper_limit():
    study = study_here(4)
    with pytest.raises(BadInput, match="more of k-anonymity is better"):
        replace(study, aims=Aims(Lost(), mv.risk.KAnonymity())).best(max_risk=3)


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
