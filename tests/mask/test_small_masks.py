"""Resampling, rounding, MASSC, microaggregation of categories, new identifiers, repair."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.streams import Key, Streams
from microveil.data.microdata import Microdata
from microveil.mask import (
    Massc,
    Microaggregation,
    Pseudonymise,
    Repair,
    Resample,
    Round,
    RoundToPoints,
    UncorrelatedNoise,
)
from microveil.mask.massc import nearest_other, risk_strata
from microveil.partition import MDAV, KModes
from microveil.run import Step
from microveil.run.release import Release
from microveil.run.state import State
from tests.marks import ANY_FILE
from tests.mask.helpers import normal_frame

# -- resampling ------------------------------------------------------------------------------------


def test_resampling_keeps_order_and_range():
    frame = normal_frame(150)
    for samples in (1, 5):
        masked = Resample(samples=samples).apply(frame, seed=1).frame
        for name in frame:
            assert (np.diff(masked[name].to_numpy()[np.argsort(frame[name].to_numpy())]) >= 0).all()
            assert masked[name].between(frame[name].min(), frame[name].max()).all()


def test_resampling_leaves_constants_and_gaps():
    frame = pd.DataFrame({"k": [0.1] * 6, "x": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0]})
    masked = Resample(samples=3).apply(frame, seed=1, missing="mask").frame
    assert (masked["k"] == 0.1).all()
    assert masked["x"].isna().tolist() == frame["x"].isna().tolist()


@pytest.mark.full
def test_more_samples_bring_the_mean_closer():
    frame = normal_frame(50, 1)
    errors = []
    for samples in (1, 4, 16):
        found = [Resample(samples=samples).apply(frame, seed=seed).frame["a"].mean() for seed in range(300)]
        errors.append(np.std(np.array(found) - frame["a"].mean()))
    assert errors[0] > 1.5 * errors[1] > 1.5 * 1.5 * errors[2]


# -- rounding --------------------------------------------------------------------------------------


def test_nearest_rounding_is_idempotent_and_bounded():
    x = pd.DataFrame({"x": [-7.5, -0.3, 0.3, 2.5, 7.4999, 1234.0]})
    once = Round(base=5).apply(x, seed=1).frame
    assert once["x"].tolist() == [-5.0, 0.0, 0.0, 5.0, 5.0, 1235.0]
    with pytest.warns(UserWarning, match="left every value"):
        assert Round(base=5).apply(once, seed=1).frame.equals(once)


def test_random_rounding_keeps_multiples():
    x = pd.DataFrame({"x": np.append(np.arange(0.0, 3.0, 0.1), 17.03)})
    masked = Round(base=0.1, mode="random").apply(x, seed=1).frame
    assert masked["x"][:30].to_numpy() == pytest.approx(x["x"][:30].to_numpy(), abs=1e-12)


def test_controlled_rounding_keeps_totals_within_a_base():
    frame = normal_frame(97).abs()
    for seed in range(20):
        masked = Round(base=30, mode="controlled").apply(frame, seed=seed).frame
        assert ((masked.sum() - frame.sum()).abs() < 30).all()
        assert ((masked - frame).abs() < 30).all().all()


def test_controlled_rounding_in_subdomains():
    frame = normal_frame(60).assign(area=["n", "s"] * 30)
    masked = Round(base=50, mode="controlled").apply(frame, columns=["a"], by="area", seed=1).frame
    gap = masked.groupby("area")["a"].sum() - frame.groupby("area")["a"].sum()
    assert (gap.abs() < 50).all()


@pytest.mark.full
@pytest.mark.parametrize("mode", ["random", "controlled"])
def test_random_rounding_is_unbiased(mode):
    frame = pd.DataFrame({"x": [1.0, 3.0, 7.0, 9.5, 12.25]})
    found = np.array([Round(base=10, mode=mode).apply(frame, seed=seed).frame["x"] for seed in range(1000)])
    error = found.std(axis=0, ddof=1) / np.sqrt(1000)
    assert (np.abs(found.mean(axis=0) - frame["x"].to_numpy()) <= 4 * error).all()


@ANY_FILE
def test_points_for_columns_and_for_records():
    frame = pd.DataFrame({"x": [1.0, 4.0, 6.0, 11.0], "y": [0.0, 10.0, 0.0, 10.0]})
    masked = RoundToPoints(points=[0, 8]).apply(frame, seed=1).frame
    assert masked["x"].tolist() == [0.0, 8.0, 8.0, 8.0]
    book = RoundToPoints(points=[[1, 0], [10, 10]]).apply(frame, seed=1).frame
    assert book.to_numpy().tolist() == [[1, 0], [10, 10], [1, 0], [10, 10]]
    with pytest.raises(BadInput, match="points have 3 entries; 2 columns"):
        RoundToPoints(points=[[1, 2, 3]]).apply(frame, seed=1)
    with pytest.raises(BadInput, match="all be numbers or all be vectors"):
        RoundToPoints(points=[[1, 2, 3], [1]])


# -- MASSC -----------------------------------------------------------------------------------------


def survey_with_weights(n=800):
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": generator.integers(20, 70, n),
            "job": generator.choice(list("abcdefg"), n),
            "area": generator.choice(["n", "s", "w"], n, p=[0.6, 0.3, 0.1]),
            "w": generator.uniform(5, 20, n),
        }
    )
    return Microdata(
        frame, roles={"age": "key", "job": "key", "w": "weight"}, kinds={"age": "ordinal", "job": "nominal"}
    )


@pytest.mark.parametrize("curve", ["raking", "linear", "bounded"])
def test_calibrated_totals_are_the_original_ones(curve):
    data = survey_with_weights()
    release = Massc(calibrate=["area"], curve=curve).apply(data, seed=1)
    assert len(release) < 800
    before = data.frame.groupby("area")["w"].sum()
    after = release.frame.groupby("area")["w"].sum()
    assert after.to_numpy() == pytest.approx(before.to_numpy(), rel=1e-8)


def test_nobody_is_substituted_by_the_own_keys():
    data = survey_with_weights()
    table = data.table(["age", "job"])
    from microveil.kernels.tables.sizes import class_sizes

    strata = risk_strata(class_sizes(table.codes())[0])
    source = nearest_other(table, strata)
    codes = table.codes()
    assert (strata[source] == strata).all()
    assert (codes[source] != codes).any(axis=1).all()


def test_strata_by_rarity():
    assert risk_strata(np.array([1, 2, 3, 5, 6, 100])).tolist() == [0, 1, 2, 2, 3, 3]


def test_calibration_needs_weights():
    with pytest.raises(BadInput, match="role 'weight'"):
        Massc(calibrate=["area"]).apply(survey_with_weights().frame[["job", "area"]], columns=["job"], seed=1)


@pytest.mark.full
def test_uniques_are_released_unaltered_as_often_as_stated():
    data = survey_with_weights(300)
    keys = data.frame[["age", "job"]]
    unique = ~keys.duplicated(keep=False)
    hits = []
    for seed in range(400):
        release = Massc(substitute=(0.3, 0.0, 0.0, 0.0), keep=(0.8, 1.0, 1.0, 1.0)).apply(data, seed=seed)
        kept = release.origin
        same = (release.frame[["age", "job"]].to_numpy() == keys.to_numpy()[kept]).all(axis=1)
        hits.append(same[unique.to_numpy()[kept]].sum() / unique.sum())
    assert abs(np.mean(hits) - 0.8 * 0.7) <= 4 * np.std(hits) / np.sqrt(400)


# -- categories ------------------------------------------------------------------------------------


def categories(n=60, seed=0):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "g": generator.choice(["lo", "mid", "hi"], n),
            "c": generator.choice(list("abcd"), n),
            "x": generator.normal(size=n),
        }
    )
    return Microdata(frame, levels={"g": ["lo", "mid", "hi"]}, kinds={"c": "nominal"})


@pytest.mark.parametrize("partition", [MDAV(k=4), KModes(k=4)], ids=["mdav", "k-modes"])
def test_groups_of_categories_share_median_and_mode(partition):
    data = categories()
    release = Microaggregation(partition=partition).apply(data, columns=["g", "c"], seed=1)
    assert release.frame[["g", "c"]].value_counts().min() >= 4
    for g in np.unique(release.groups):
        rows = release.groups == g
        modes = data.frame["c"][rows].mode()
        assert release.frame["c"][rows].iloc[0] in set(modes)
        codes = data.values("g").data[rows]
        assert data.values("g").levels.index(release.frame["g"][rows].iloc[0]) == np.sort(codes)[(len(codes) - 1) // 2]


def test_amounts_and_categories_together():
    data = categories()
    release = Microaggregation(partition=MDAV(k=3)).apply(data, columns=["g", "c", "x"], seed=1)
    assert release.frame.value_counts().min() >= 3
    assert release.frame["x"].mean() == pytest.approx(data.frame["x"].mean())
    assert [str(claim) for claim in release.claims] == [
        "means of x are exactly the original's",
        "every combination of values in g, c, x occurs at least 3 times",
    ]


def test_amounts_come_first_where_nobody_names_columns():
    data = categories()
    release = Microaggregation().apply(data, seed=1)
    assert release.columns == ("x",)
    without = Microaggregation().apply(data.with_(data.frame[["g", "c"]]), seed=1)
    assert without.columns == ("g", "c")
    coded = pd.DataFrame({"score": np.arange(100) % 10, "x": np.arange(100.0)})
    assert Microdata(coded).kinds["score"] != "continuous"
    means = Microaggregation(partition=MDAV(k=7)).apply(
        Microdata(coded, integers="keep exact"), columns=["score"], seed=1
    )
    assert means.frame["score"].mean() == pytest.approx(4.5)
    stated = Microdata(coded, kinds={"score": "ordinal"})
    medians = Microaggregation(partition=MDAV(k=7)).apply(stated, columns=["score"], seed=1)
    assert set(medians.frame["score"]) <= set(range(10))


def test_a_category_may_come_back_and_an_amount_may_not():
    frame = pd.DataFrame({"c": list("ab") * 20, "x": np.repeat(np.arange(20.0), 2)})
    release = Microaggregation(partition=MDAV(k=5)).apply(frame, columns=["c", "x"], seed=1)
    assert "microaggregation found nothing to change in 'c': it is as it was" in release.notes


def test_categories_without_order_have_no_correlation():
    with pytest.raises(BadInput, match=r"order='correlation' needs values in order and \['c'\] have none"):
        Microaggregation(blocks=2, order="correlation").apply(categories(), columns=["g", "c", "x"], seed=1)


def test_gaps_of_amounts_stay_beside_categories():
    data = categories()
    frame = data.frame.copy()
    frame.loc[:4, "x"] = None
    release = Microaggregation(partition=MDAV(k=4)).apply(data.with_(frame), columns=["c", "x"], seed=1, missing="mask")
    assert release.frame["x"].isna().tolist() == frame["x"].isna().tolist()
    assert release.frame.groupby(release.groups)[["c", "x"]].nunique().max().max() == 1
    assert "gaps of the original aside" in str(release.claims[1])


def test_clusters_beat_random_groups():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"g": generator.choice(list("abcdefgh"), 90), "c": generator.choice(list("pqrstuvw"), 90)})
    codes = Microdata(frame).table(["g", "c"]).codes()
    release = Microaggregation(partition=KModes(k=3)).apply(frame, columns=["g", "c"], seed=1)
    assert release.frame.value_counts().min() >= 3

    def loss(labels):
        return sum(
            (np.bincount(codes[labels == g, j]).sum() - np.bincount(codes[labels == g, j]).max())
            for g in np.unique(labels)
            for j in (0, 1)
        )

    assert all(loss(release.groups) <= loss(generator.permutation(np.arange(90) // 3)) for _ in range(100))


def test_one_column_at_a_time_is_individual_ranking():
    data = categories(50)
    masked = Microaggregation(partition=MDAV(k=5), blocks=1).apply(data, columns=["g", "c"], seed=1).frame
    for name in ("g", "c"):
        assert masked[name].value_counts().min() >= 5


def test_missing_categories_take_part():
    data = categories()
    frame = data.frame.copy()
    frame.loc[:2, "c"] = None
    release = Microaggregation(partition=MDAV(k=3)).apply(data.with_(frame), columns=["g", "c"], seed=1)
    assert release.frame.groupby(["g", "c"], dropna=False).size().min() >= 3
    with pytest.raises(NotEnoughRecords, match="k=70 records: 60 given"):
        Microaggregation(partition=MDAV(k=70)).apply(data, columns=["g", "c"], seed=1)


# -- identifiers and repair ------------------------------------------------------------------------


@ANY_FILE
def test_new_identifiers_say_nothing_of_the_old():
    frame = pd.DataFrame({"name": ["ann", "bob", "ann", None, "cid"], "nr": [3, 1, 3, 9, 4], "x": np.arange(5.0)})
    data = Microdata(frame, roles={"name": "identifier", "nr": "identifier"})
    release = Pseudonymise(prefix="P").apply(data, seed=1)
    names = release.frame["name"]
    assert names[0] == names[2]
    assert names.dropna().nunique() == 3
    assert names.isna().tolist() == [False, False, False, True, False]
    assert names.dropna().str.fullmatch(r"P\d{8}").all()
    assert release.frame["nr"].nunique() == 4
    again = Pseudonymise(prefix="P").apply(data, seed=2).frame
    assert set(again["name"].dropna()).isdisjoint(names.dropna())


def test_identifiers_grow_where_digits_run_out():
    frame = pd.DataFrame({"id": [f"u{i}" for i in range(500)]})
    masked = Pseudonymise(digits=1).apply(Microdata(frame, roles={"id": "identifier"}), seed=1).frame
    assert masked["id"].nunique() == 500
    assert masked["id"].str.len().unique().tolist() == [4]


def test_identifiers_that_are_all_missing_stay_missing():
    frame = pd.DataFrame({"id": pd.Series([None] * 3, dtype=object), "name": ["ann", "bob", "cid"]})
    masked = Pseudonymise().apply(Microdata(frame, roles={"id": "identifier", "name": "identifier"}), seed=1).frame
    assert masked["id"].isna().all()
    assert masked["name"].nunique() == 3


def repaired(frame, repair, noise=0.5):
    key = Key.of(1)
    state = State.begin(Microdata(frame))
    state = state.advance(Step(UncorrelatedNoise(p=noise)), Streams(key).at("step", 1))
    state = state.advance(Step(repair), Streams(key).at("step", 2))
    return Release.finish(state, key)


def test_sums_and_ranges_are_put_right():
    frame = normal_frame(50, 2).abs().rename(columns={"a": "part1", "b": "part2"})
    frame["total"] = frame["part1"] + frame["part2"]
    for adjust in ("total", "parts"):
        method = Repair(sums={"total": ["part1", "part2"]}, ranges={"part1": (0, 101)}, adjust=adjust)
        release = repaired(frame, method)
        masked = release.frame
        assert (masked["total"] - masked["part1"] - masked["part2"]).abs().max() < 1e-9 * 1000
        assert "total is the sum of part1, part2" in [str(claim) for claim in release.claims]
        if adjust == "total":
            assert masked["part1"].between(0, 101).all()


def test_whole_numbers_add_up_too():
    frame = normal_frame(50, 2).abs().round().astype(int)
    frame["total"] = frame["a"] + frame["b"]
    release = repaired(frame, Repair(sums={"total": ["a", "b"]}))
    assert (release.frame["total"] - release.frame["a"] - release.frame["b"]).abs().max() <= 1


def test_repair_refuses_impossible_wishes():
    with pytest.raises(BadInput, match="give the smaller value first"):
        Repair(ranges={"x": (3, 1)})
    with pytest.raises(BadInput, match="needs parts other than itself"):
        Repair(sums={"x": ["x"]})
