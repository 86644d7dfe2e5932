"""The title of a verdict: kept is praise only where limits ask for something and nothing else speaks against it."""

from __future__ import annotations

import numpy as np
import pandas as pd

import microveil as mv
from microveil.measure import Pair
from microveil.plan import verdict_of, verdict_of_pair
from microveil.report.page import InternalContent, render
from microveil.risk import Scenario

SURVEY = pd.DataFrame(
    {
        "town": np.repeat(list("abcdefgh"), 10),
        "age": np.tile([20.0, 30, 40, 50, 60], 16),
        "income": np.random.default_rng(1).lognormal(8, 1, 80).round(2),
    }
)
SURVEY.loc[0, "town"] = "z"
ROLES = {"town": "key", "age": "key", "income": "confidential"}


def people_of_towns() -> mv.Microdata:
    return mv.Microdata(SURVEY, roles=ROLES, kinds={"age": "continuous"})


def suppressed() -> mv.Release:
    """Towns are 5-anonymous, incomes are as they were: whoever knows them finds everybody."""
    return mv.mask.LocalSuppression(k=5).apply(people_of_towns(), columns=["town"], seed=1)


def test_kept_is_not_praise_where_the_worst_case_finds_nearly_everybody():
    verdict = verdict_of(suppressed(), [Scenario("neighbour", ("town",), thresholds={"risk": 0.2})])
    assert verdict.ok is True
    assert verdict.state == "doubtful"
    assert verdict.title == (
        "The limits stated are kept, but an intruder finds about 100 % of the records in the worst case, where the "
        "scenarios tolerate 20 % at most"
    )
    assert verdict.title in repr(verdict)
    assert verdict.title in render(
        InternalContent(
            Pair.of(suppressed()), mv.evaluate(people_of_towns(), suppressed(), measures="quick"), verdict=verdict
        )
    )
    assert verdict.to_json()["title"] == verdict.title


def test_kept_is_not_praise_where_the_limits_ask_for_nothing():
    release = mv.mask.RankSwap(p=40).apply(people_of_towns(), columns=["age", "income"], seed=1)
    lenient = Scenario("lenient", ("town",), thresholds={"risk": 1.0})
    assert verdict_of(release, [lenient]).title == (
        "The limits stated are kept, but the original keeps them too, so that they ask for nothing"
    )
    both = verdict_of(suppressed(), [lenient, Scenario("neighbour", ("town",), thresholds={"risk": 0.2, "share": 0})])
    assert "but the original keeps that of 'lenient' too, so that it asks for nothing" in both.title


def test_kept_is_praise_where_nothing_speaks_against_it():
    data = mv.Microdata(SURVEY[["age", "income"]], roles={"age": "key", "income": "key"}, kinds={"age": "continuous"})
    method = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=20))
    release = method.apply(data, columns=["age", "income"], seed=1)
    verdict = verdict_of(release, [Scenario("neighbour", ("age", "income"), thresholds={"risk": 0.2})])
    assert verdict.state == "kept"
    assert verdict.title == "The limits stated are kept"
    assert verdict.doubts == ()


def test_kept_is_in_doubt_where_nobody_knows_which_rows_belong_together():
    released = suppressed().frame
    scenario = Scenario("neighbour", ("town",), thresholds={"risk": 0.2})
    verdict = verdict_of_pair(Pair.of(people_of_towns(), released, linked=False), [scenario])
    assert verdict.ok is True
    assert "but linking was not tried: nobody knows which rows belong together" in verdict.title


def test_limits_that_are_not_kept_or_not_stated_have_their_own_titles():
    failed = verdict_of(suppressed(), [Scenario("neighbour", ("town",), thresholds={"risk": 0.01})])
    assert (failed.state, failed.title) == (
        "not kept",
        "The limits stated are not kept: this file may not be released",
    )
    assert (verdict_of(suppressed()).state, verdict_of(suppressed()).title) == ("not stated", "Nobody stated limits")


def test_an_amount_among_the_keys_that_was_left_as_it_was_is_counted():
    verdict = verdict_of(suppressed())
    assert verdict.keys_counted == ("town", "age")
    # of each town and age there are two records, but of the town that is alone
    assert verdict.line.startswith("5-anonymous on 1 of 2 keys, some records alone on all 2 keys · expected")
    assert verdict.before.uniques == 2
    release = mv.mask.RankSwap(p=30).apply(people_of_towns(), columns=["income"], seed=1)
    assert verdict_of(release).line.startswith("some records alone on all 2 keys · expected")


def test_one_key_is_told_as_one():
    data = mv.Microdata(SURVEY[["age", "income"]], roles={"age": "key"}, kinds={"age": "continuous"})
    left = mv.mask.RankSwap(p=30).apply(data, columns=["income"], seed=1)
    assert verdict_of(left).line.startswith("16-anonymous on the one key · ")
    perturbed = mv.mask.RankSwap(p=30).apply(data, columns=["age"], seed=1)
    assert verdict_of(perturbed).line.startswith("the values of the one key were changed (age), so that counting")
    assert "singled out by the key." in mv.risk.Uniqueness()(left).reading
