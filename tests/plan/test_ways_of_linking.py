"""The worst case, the verdict and the scenarios compare files in every way that the linkage measures have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import microveil as mv
from microveil.measure import Pair
from microveil.measure.sampling import Sample, draw_pair
from microveil.plan import evaluate, verdict_of
from microveil.plan.quick_attack import quick_worst_case
from microveil.risk import DistanceLinkage, GlobalLinkage, Scenario, ScenarioRisk, scenario_linkage
from microveil.risk.ways import WAYS, Way, way_of

K, N = 3, 300


@pytest.fixture(scope="module")
def averaged() -> tuple[mv.Microdata, mv.Release]:
    frame = mv.datasets.make_enterprises(N, seed=3).to_pandas()
    frame = frame[[name for name in frame if name.endswith(("revenue", "sales"))]]
    data = mv.Microdata(frame, roles=dict.fromkeys(frame, "confidential"))
    method = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=K))
    return data, method.apply(data, columns=list(frame), seed=1)


def on_one_scale(data: mv.Microdata, release: mv.Release) -> tuple[np.ndarray, float]:
    """By hand: for each original the probability of its link, and the per cent found from the release."""
    before, after = data.frame.to_numpy(), release.frame.to_numpy()
    spread = before.std(axis=0)
    away = cdist(before / spread, after / spread)
    tied = away <= away.min(axis=1, keepdims=True) + 1e-9
    return tied.diagonal() / tied.sum(axis=1), 100 * float((away.argmin(axis=0) == np.arange(len(before))).mean())


def test_who_keeps_to_one_scale_finds_no_more_than_the_worst_case_says(averaged) -> None:
    data, release = averaged
    from_original, from_release = on_one_scale(data, release)
    mine = max(100 * from_original.mean(), from_release)
    assert mine > 2 * DistanceLinkage()(data, release).value  # each file on its own scale flatters
    every_route = [
        evaluate(data, release, measures=["distance-linkage"]).worst.value,
        quick_worst_case(Pair.of(data, release)).value,
        verdict_of(release).after.linked,
    ]
    assert min(every_route) >= mine - 1e-9
    assert max(every_route) <= 100 / K + 1e-9


def test_the_parts_of_the_worst_case_name_every_way(averaged) -> None:
    found = evaluate(*averaged, measures=["distance-linkage", "global-linkage"]).worst.parts
    assert {way.title(DistanceLinkage.title) for way in WAYS} <= set(found)
    assert len(found) == len(WAYS) + len(WAYS) // 2
    assert "One-to-one record linkage by ranks, on the original's scale" in found
    assert way_of(DistanceLinkage()) == way_of(GlobalLinkage()) == Way()  # the figure of a measure is that of its paper


def test_a_scenario_counts_a_record_of_a_group_that_is_found(averaged) -> None:
    data, release = averaged
    scenario = Scenario("amounts", [], list(data.columns), thresholds={"risk": 0.2, "share": 25})
    by_hand = 100 * float((on_one_scale(data, release)[0] > 0.2).mean())
    found = ScenarioRisk(scenarios=[scenario])(data, release)
    assert by_hand > 60
    assert found.value >= by_hand - 1e-9
    assert found.parts["amounts: largest risk (%)"] == pytest.approx(100 / K)  # equal records share in either direction
    assert verdict_of(release, [scenario]).ok is False
    rows = ScenarioRisk(scenarios=[scenario]).records_at_risk(data, release)["amounts"]
    assert len(rows) == pytest.approx(found.value / 100 * data.n)


def test_of_many_records_some_tell_the_way_and_all_the_figure(averaged, monkeypatch) -> None:
    data, release = averaged
    measure = ScenarioRisk(scenarios=[Scenario("amounts", [], list(data.columns))])
    every = measure(data, release)
    monkeypatch.setattr(scenario_linkage, "_EVERY_WAY_UP_TO", 200)
    monkeypatch.setattr(scenario_linkage, "_TOLD_BY", 200)
    assert measure(data, release).parts == pytest.approx(every.parts)


def test_released_records_that_search_are_sampled_from_the_release(averaged) -> None:
    data, release = averaged
    pair = Pair.of(data, release)
    measure = DistanceLinkage(direction="masked", standardise="original")
    some = draw_pair(pair, replace(measure.sample_of_many, most=150))
    assert measure.sample_of_many.of == "searching"
    assert (len(some.pair.rows_before), len(some.pair.rows_after)) == (N, 150)
    assert "150 of 300 protected records looked for their originals among all" in some.said
    assert measure.on(some.pair).value == pytest.approx(measure.on(pair).value, abs=10)
    nobody = replace(pair, link=np.full(N, -1))
    assert len(draw_pair(nobody, Sample("searching", 150)).pair.rows_after) == 0


def test_the_direction_is_tried_where_no_amount_was_changed() -> None:
    data = mv.Microdata(pd.DataFrame({"a": ["x", "y", "z"] * 4}), roles={"a": "key"})
    changed = pd.DataFrame({"a": ["x", "y", "y"] * 4})
    parts = evaluate(data, changed, measures=["distance-linkage"]).worst.parts
    assert list(parts) == [DistanceLinkage.title, Way(direction="masked").title(DistanceLinkage.title)]
