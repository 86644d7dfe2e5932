"""The verdict on a release: hand-counted figures, the line, and limits that are kept or not."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.measure import Pair
from microveil.measure.sampling import Sample, drawn_rows, with_some_searched
from microveil.plan import verdict_loss, verdict_of
from microveil.risk import Scenario

# classes of (region, sex): 3 of n/f, 1 of n/m, 2 of s/f, 2 of s/m
FRAME = pd.DataFrame(
    {
        "region": ["n", "n", "n", "n", "s", "s", "s", "s"],
        "sex": ["f", "f", "f", "m", "f", "f", "m", "m"],
        "age": [20.0, 31, 42, 53, 64, 25, 36, 47],
        "income": [1.0, 2, 3, 4, 5, 6, 7, 8],
    }
)
ROLES = {"region": "key", "sex": "key", "age": "key", "income": "confidential"}
KINDS = {"age": "continuous", "income": "continuous"}


def microdata(frame: pd.DataFrame = FRAME, **more: str) -> mv.Microdata:
    return mv.Microdata(frame, roles={**ROLES, **more}, kinds=KINDS)


def suppressed(k: int = 2, **more: str) -> mv.Release:
    method = mv.mask.LocalSuppression(k=k)
    return method.apply(microdata(**more), columns=["region", "sex"], seed=1)


def test_figures_before_and_after_are_those_counted_by_hand():
    verdict = verdict_of(suppressed(age="other"))
    assert verdict.keys_counted == ("region", "sex")
    before = verdict.before
    assert (before.k, before.uniques, before.below_three) == (1, 1, 5)
    # three records share one class, one is alone, two classes of two: 1 + 1 + 1 + 1
    assert before.expected == pytest.approx(4.0)
    assert before.through_households is None
    assert before.linked == pytest.approx(100.0)
    after = verdict.after
    assert after.k is not None
    assert after.k >= 2
    assert after.uniques == 0
    # classes of two and of three
    assert after.expected is not None
    assert 8 / 3 < after.expected <= 4.0


def test_the_line_says_on_how_many_keys_and_what_became_of_the_others():
    line = verdict_of(suppressed()).line
    assert line.startswith("2-anonymous on 2 of 3 keys, some records alone on all 3 keys · expected re-identif")
    assert "linked in the worst case" in line


def test_perturbed_keys_are_named_and_not_counted():
    data = microdata(pd.concat([FRAME] * 4, ignore_index=True))
    release = mv.mask.RankSwap(p=20).apply(data, columns=["age"], seed=1)
    verdict = verdict_of(release)
    assert verdict.keys_counted == ("region", "sex")
    assert "4-anonymous on 2 of 3 keys (age perturbed)" in verdict.line
    assert "loss" in verdict.line


def test_keys_alike_by_promise_count_though_their_values_are_new():
    data = mv.Microdata(FRAME[["age", "income"]], roles={"age": "key", "income": "key"}, kinds=KINDS)
    method = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=4))
    verdict = verdict_of(method.apply(data, columns=["age", "income"], seed=1))
    assert verdict.line.startswith("4-anonymous on all 2 keys · expected re-identifications 8 -> 2 ")
    assert verdict.after.linked is not None
    assert verdict.after.linked <= 25.0 + 1e-9


def test_households_are_counted_where_there_are_some():
    frame = FRAME.assign(home=[1, 1, 2, 2, 3, 3, 4, 4])
    release = mv.mask.RankSwap(p=50).apply(microdata(frame, home="household", age="other"), columns=["income"], seed=1)
    before = verdict_of(release).before
    # in each home the probability that someone is found counts for both: 1 - prod(1 - 1/f)
    homes = [1 - (2 / 3) ** 2, 1 - (2 / 3) * 0, 1 - 0.25, 1 - 0.25]
    assert before.through_households == pytest.approx(2 * sum(homes))


def test_without_stated_limits_there_is_no_yes_and_no_no():
    for scenarios in ((), (Scenario("neighbour", ("region", "sex")),)):
        verdict = verdict_of(suppressed(), scenarios)
        assert verdict.ok is None
        assert verdict.because == ("Nobody stated limits, so that nothing says whether this file may be released.",)


def test_a_limit_is_kept_or_not_with_the_reason_and_what_would_help():
    kept = verdict_of(suppressed(), [Scenario("neighbour", ("region", "sex"), thresholds={"risk": 0.5})])
    assert kept.ok is True
    assert kept.help == ()
    assert kept.because == (
        "Scenario 'neighbour' is kept: 0 % of the records have a risk above 0.5, where at most 0 % are allowed.",
    )
    failed = verdict_of(suppressed(), [Scenario("neighbour", ("region", "sex"), thresholds={"risk": 0.1})])
    assert failed.ok is False
    assert "is not kept: 100 % of the records have a risk above 0.1" in failed.because[0]
    assert failed.help == (
        "recode or suppress region, sex to classes of at least 10, or leave some of these columns out",
    )


def test_limits_on_linking_are_kept_where_no_record_has_an_original():
    data = microdata(pd.concat([FRAME] * 8, ignore_index=True))
    release = mv.synth.Cart().apply(data, columns=["region", "sex", "age", "income"], seed=3)
    verdict = verdict_of(release, [Scenario("neighbour", ("region", "sex"), thresholds={"risk": 0.1})])
    assert verdict.ok is True
    assert verdict.because[0].startswith("Scenario 'neighbour' is kept: every record is synthetic")
    assert verdict.after.linked is None


def test_all_of_it_goes_into_json():
    written = json.loads(json.dumps(verdict_of(suppressed(age="other")).to_json()))
    assert written["before"]["uniques"] == 1
    assert written["ok"] is None


def test_figures_of_an_evaluation_are_taken_over():
    release = mv.mask.RankSwap(p=30).apply(microdata(), columns=["age", "income"], seed=1)
    evaluation = mv.evaluate(release.original, release, measures=[mv.loss.PIL(quantiles="printed")])
    assert verdict_of(release, evaluation=evaluation).loss == evaluation["pil"].value


def test_some_of_many_originals_are_searched_in_the_whole_file():
    data = microdata(pd.concat([FRAME] * 10, ignore_index=True))
    release = mv.mask.RankSwap(p=30).apply(data, columns=["income"], seed=1)
    pair = with_some_searched(Pair.of(data, release), 12)
    assert len(pair.rows_before) == 12
    assert len(pair.rows_after) == 80
    assert len(pair.linked_rows[0]) == 12
    assert with_some_searched(Pair.of(data, release), 80).before_rows is None


def test_rows_are_drawn_alike_each_time_and_in_order():
    rows = np.arange(1000)
    first = drawn_rows(rows, 50, "a")
    assert (first == drawn_rows(rows, 50, "a")).all()
    assert (np.diff(first) > 0).all()
    assert set(first) != set(drawn_rows(rows, 50, "b"))


def test_a_limit_that_the_original_keeps_already_is_no_praise() -> None:
    frame = pd.DataFrame({"sex": ["f", "m"] * 40, "income": np.random.default_rng(1).lognormal(8, 1, 80).round(2)})
    data = mv.Microdata(frame, roles={"sex": "key", "income": "confidential"})
    release = mv.mask.RankSwap(p=5).apply(data, columns=["income"], seed=1)
    verdict = verdict_of(release, [mv.risk.Scenario("neighbour", ["sex"], thresholds={"risk": 0.2})])
    assert verdict.ok is True
    assert "The original keeps this limit too, so that it asks for nothing" in verdict.because[0]


def test_attacks_that_were_not_tried_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"a": np.random.default_rng(1).lognormal(8, 1, 60), "b": np.arange(60) % 7})
    release = mv.mask.Microaggregation().apply(mv.Microdata(frame), columns=["a", "b"], seed=1)
    everything = verdict_of(release)
    assert "linked in the worst case" in everything.line
    assert everything.after.untried == ()
    for attack in (mv.risk.GlobalLinkage, mv.risk.ProbabilisticLinkage):
        monkeypatch.setattr(attack, "verdict_limit", 10)
    quick = verdict_of(release)
    assert "linked in the worst case" in quick.line  # the words of every route
    assert "not tried: One-to-one record linkage" in quick.line
    assert quick.after.linked <= everything.after.linked
    figures = mv.evaluate(release.original, release, measures=["distance-linkage"])
    untried = figures.worst.reading.split("Not tried, so that more may be found: ")[1]
    assert "One-to-one record linkage" in untried
    assert "Distance-based" not in untried


def test_a_loss_that_is_told_from_a_sample_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    data = mv.Microdata(mv.datasets.make_survey(300, seed=1), **mv.datasets.survey_schema())
    release = mv.mask.Pram().apply(data, columns=["region"], seed=1)
    assert "loss of categories (tables, classes spread) " in mv.plan.verdict_of(release).line
    monkeypatch.setattr(verdict_loss, "_SAMPLE", Sample("records", 100))
    assert (
        "loss of categories (tables, classes spread, by a sample of 100,000 records) "
        in mv.plan.verdict_of(release).line
    )


def test_recoded_values_that_occur_equally_often_are_a_loss_all_the_same():
    """Forty postcodes of five records each, all made one: spread evenly over a class the counts are as they were."""
    frame = pd.DataFrame({"postcode": [f"{1000 + n % 40}" for n in range(200)], "x": np.arange(200.0)})
    known = {"roles": {"postcode": "key"}, "hierarchies": {"postcode": "redact"}, "kinds": {"postcode": "nominal"}}
    data = mv.Microdata(frame, **known)
    verdict = mv.plan.verdict_of(mv.mask.GlobalRecode(level=4).apply(data, columns=["postcode"]))
    assert verdict.loss_of_categories == pytest.approx(0, abs=1e-9)
    assert verdict.loss_of_detail == pytest.approx(100)
    assert "coarser categories tell 100 % less (entropy)" in verdict.line
    # the first three digits leave 4 classes of 40 values: 2 of log2(40) bits are told
    some = mv.plan.verdict_of(mv.mask.GlobalRecode(level=1).apply(data, columns=["postcode"]))
    assert some.loss_of_detail == pytest.approx(100 * (1 - 2 / np.log2(40)))
    swapped = mv.mask.RankSwap(p=10).apply(data, columns=["x"], seed=1)
    assert mv.plan.verdict_of(swapped).loss_of_detail is None


def test_both_readings_of_missing_values_are_told_where_they_differ():
    # n/m is alone: without its region or sex it agrees with others, and as a value of its own it is alone still
    data = microdata(age="other")
    release = mv.mask.LocalSuppression(k=2, missing="wildcard").apply(data, columns=["region", "sex"], seed=1)
    limit = Scenario("near", ("region", "sex"), thresholds={"risk": 0.6})
    verdict = verdict_of(release, [limit])
    told = "with a missing value agreeing with any, some records alone with it counted as a value"
    assert f"-anonymous on all 2 keys {told}" in verdict.line
    assert verdict.ok
    assert "with it counted as a value it is 12.5 % of the records" in verdict.because[0]
    assert "agreeing with any" not in verdict_of(suppressed(age="other"), [limit]).line


def test_the_limit_that_is_not_kept_is_said_first():
    limits = [Scenario(name, ("region", "sex"), thresholds={"risk": risk}) for name, risk in (("a", 0.6), ("b", 0.1))]
    first, second = verdict_of(suppressed(age="other"), limits).because[:2]
    assert first.startswith("Scenario 'b' is not kept")
    assert second.startswith("Scenario 'a' is kept")
