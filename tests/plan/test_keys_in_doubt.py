"""Perturbed keys are counted nowhere, and one reason says why, whoever tells what was done: a log, rows, or nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core import Measured, NotApplicable
from microveil.measure import Pair
from microveil.plan import verdict_of, verdict_of_pair
from microveil.risk import Scenario

COUNTS = ("uniqueness", "k-anonymity", "l-diversity", "t-closeness", "replicated-uniques", "individual-risk", "suda")
SCENARIO = Scenario("neighbour", ("town", "school"), thresholds={"risk": 0.5})


def towns_and_schools(n: int = 120) -> mv.Microdata:
    draw = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "town": draw.integers(0, 30, n),
            "school": draw.integers(0, 4, n),
            "illness": draw.integers(0, 3, n),
            "income": draw.lognormal(8, 1, n).round(2),
        }
    )
    roles = {"town": "key", "school": "key", "illness": "confidential", "income": "confidential"}
    return mv.Microdata(frame, roles=roles, kinds={"town": "nominal", "school": "nominal", "illness": "nominal"})


@pytest.fixture(scope="module")
def release() -> mv.Release:
    return mv.mask.Pram().apply(towns_and_schools(), columns=["town", "school"], seed=1)


def test_with_the_methods_known_no_measure_counts_perturbed_keys(release):
    figures = mv.evaluate(release.original, release, measures=COUNTS)
    reason = (
        "the keys town, school were perturbed (pram): how often their values occur says nothing about people; see the "
        "linkage measures"
    )
    assert {figures[name].reason for name in COUNTS} == {reason}


@pytest.mark.parametrize("linked", [True, False])
def test_of_two_plain_files_no_measure_counts_keys_that_seem_perturbed(release, linked):
    figures = mv.evaluate(
        release.original, release.frame, linked=linked, measures=[*COUNTS, "scenario-risk"], scenarios=[SCENARIO]
    )
    for name in COUNTS:
        assert isinstance(figures[name], NotApplicable), name
        assert "town, school seem perturbed" in figures[name].reason
    assert isinstance(figures["scenario-risk"], Measured) == linked


def test_one_reason_and_one_way_out_where_nobody_knows_which_rows_belong_together(release):
    figures = mv.evaluate(release.original, release.frame, linked=False, measures="quick", scenarios=[SCENARIO])
    reason = figures["scenario-risk"].reason
    assert reason == figures["uniqueness"].reason
    assert reason.endswith("nobody knows which rows belong together, and the private log would tell")
    assert isinstance(figures.worst, NotApplicable)
    verdict = verdict_of_pair(Pair.of(release.original, release.frame, linked=False), [SCENARIO], figures)
    assert verdict.ok is False
    assert verdict.title.startswith("The limits stated are not shown to be kept")
    assert reason in verdict.because[0]
    assert verdict.help == (
        "give the private log (--log LOG on the command line): it tells which rows belong together",
    )
    assert "linked" not in verdict.line
    assert verdict.line.startswith("the values of all 2 keys were changed (")


def test_keys_that_are_alike_by_promise_are_still_classes():
    data = mv.Microdata(towns_and_schools().frame, roles={"income": "key", "illness": "confidential"})
    method = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=4))
    release = method.apply(data, columns=["income"], seed=1)
    figures = mv.evaluate(data, release, measures=["k-anonymity", "l-diversity", "t-closeness", "uniqueness"])
    assert figures["k-anonymity"].value >= 4
    assert isinstance(figures["l-diversity"], Measured)
    assert isinstance(figures["t-closeness"], Measured)
    assert "the key income was perturbed (microaggregation)" in figures["uniqueness"].reason


def test_uniques_that_synthetic_records_repeat_are_counted():
    release = mv.synth.Cart().apply(towns_and_schools(), columns=["town", "school", "illness", "income"], seed=1)
    assert isinstance(mv.risk.ReplicatedUniques()(release), Measured)


def test_the_body_reads_gaps_as_the_verdict_does():
    release = mv.mask.LocalSuppression(k=3, missing="wildcard").apply(
        towns_and_schools(), columns=["town", "school"], seed=1
    )
    limit = Scenario("neighbour", ("town", "school"), thresholds={"risk": 0.34})
    figures = mv.evaluate(release.original, release, measures=["scenario-risk"], scenarios=[limit])
    assert verdict_of(release, [limit]).ok is True
    assert "within the limits of every scenario" in figures["scenario-risk"].reading
