"""`mv.search` with its processes: the same study for any number of them, limits, and errors before anything runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.claims import MeansKept, ValuesKept
from microveil.core.errors import BadInput, UnknownName
from microveil.core.streams import Key
from microveil.study import search, searching
from microveil.study.aims import Aims
from microveil.study.measuring import Task, begin_measuring, lost
from microveil.study.workers import Workers
from tests.study.toys import FRAME, Exposed, Lost, Shift, Slow

AMOUNTS = pd.DataFrame(np.random.default_rng(1).gamma(2.0, size=(60, 2)), columns=["turnover", "wages"])
FEW = ["rank-swap", "uncorrelated-noise", "micro-hybrid"]


def _plain(study):
    return [(trial.text, trial.state, trial.loss, trial.risk, trial.at_least) for trial in study.trials]


@pytest.mark.long
def test_one_and_two_workers_give_the_same_study_that_keeps_its_limit_in_every_draw():
    asked = {"objectives": ("pil", "distance-linkage"), "at_most": {"distance-linkage": 60}, "methods": FEW}
    one, two = (search(AMOUNTS, trials=8, workers=workers, seed=5, **asked) for workers in (1, 2))
    assert _plain(one) == _plain(two)
    assert [each.risks for each in one.confirmed] == [each.risks for each in two.confirmed]
    draws = one.confirmed_draws(one.best())
    assert draws is not None
    assert len(set(draws.losses)) == 5  # keys of their own
    assert max(draws.risks) <= 60
    assert "it was run 5 times under keys of their own and kept every limit." in one.recommend()


@pytest.mark.full
def test_eight_workers_give_the_study_of_one():
    asked = {"objectives": ("pil", "distance-linkage"), "methods": FEW, "budget": "40 trials", "seed": 5}
    one, eight = (search(AMOUNTS, workers=workers, **asked) for workers in (1, 8))
    assert _plain(one) == _plain(eight)
    assert any(trial.text not in {each.text for each in one.trials[:20]} for trial in one.trials[20:])
    assert one.best() == replace(eight.best(), seconds=one.best().seconds)


@pytest.mark.full
def test_a_plan_that_takes_too_long_is_given_up_and_the_others_go_on():
    source = mv.Microdata(FRAME)
    workers = Workers(partial(begin_measuring, source, Aims(Lost(), Exposed())), 1, 1.5, lost)
    try:
        slow, quick = (workers.submit(Task(mv.Plan([one]), Key.of(1))) for one in (Slow(), Shift(far=0.3)))
        given_up = slow.result(30)
        assert (given_up.state, given_up.problem) == ("took too long", "it took more than 1.5 seconds and was given up")
        found = quick.result(30)
        assert found.state == "measured"
        assert found.figures["toy-lost"]["value"] == pytest.approx(7.0)
        workers.submit(Task(mv.Plan([Slow()]), Key.of(1)))
    finally:
        workers.close()  # at once, although a plan is under way
    assert not workers._running


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"budget": "soon"}, BadInput, 'neither a time nor a number of trials; .*"60 s", "5 min" or "1 h", .*"40 tri'),
        ({"budget": "0 trials"}, BadInput, "is neither a time nor a number of trials"),
        ({"budget": "4 trials", "trials": 5}, BadInput, "both say how many plans to try"),
        ({"budget": ["5 min"]}, BadInput, "budget is a list"),
        ({"trials": 0}, BadInput, "0 is not a number of trials; give 1 or more"),
        ({"workers": 9}, BadInput, "9 workers are not possible; give 1 to 8"),
        ({"workers": "2"}, BadInput, "workers is a text"),
        ({"objectives": ("pil",)}, BadInput, "objectives are two"),
        ({"objectives": ("pill", "worst-case")}, UnknownName, "did you mean 'pil'"),
        ({"objectives": ("contingency-loss", "worst-case")}, BadInput, "cannot be judged by contingency-loss"),
        ({"at_most": {"worst": 5}}, UnknownName, "did you mean 'worst-case'"),
        ({"at_most": {"pil": "few"}}, BadInput, "the limit of pil is 'few'; give a number"),
        ({"at_most": [5]}, BadInput, "at_most is a list"),
        ({"require": ["MeansKep"]}, UnknownName, "did you mean 'MeansKept'"),
        ({"require": [3]}, BadInput, "3 is no promise"),
        ({"methods": ["rankswap"]}, UnknownName, "did you mean 'rank-swap'"),
        ({"methods": ["pram"]}, BadInput, "no method that may be tried suits these data"),
        ({"columns": ["x"]}, UnknownName, "x"),
        ({"plans": ["nowhere.yaml"]}, OSError, "nowhere.yaml"),
    ],
)
def test_bad_input_is_told_before_anything_runs(asked, error, message, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(searching, "Workers", None)  # nothing is started
    with pytest.raises(error, match=message.replace("(", r"\(")):
        search(AMOUNTS, **asked)


def test_required_promises_are_of_the_kind_and_the_columns_asked_for():
    data = mv.Microdata(AMOUNTS)
    swapped, noisy = (method.apply(data, seed=1) for method in (mv.mask.RankSwap(p=9), mv.mask.UncorrelatedNoise()))
    aims = Aims.of(data, None, (), None, [ValuesKept, "MeansKept"])
    assert aims.unpromised(swapped) == (MeansKept(),)
    assert set(aims.unpromised(noisy)) == {ValuesKept(), MeansKept()}
    some = Aims.of(data, None, (), None, [ValuesKept(columns=("wages",))])
    one = mv.mask.RankSwap(p=9).apply(data, columns=["turnover"], seed=1)
    assert some.unpromised(one) == some.require
    assert not some.unpromised(swapped)
