"""Microaggregation, its blocks, and the aggregation step."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.claims import EqualRowsAtLeast
from microveil.claims.gaps import smallest_agreement
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.mask import Microaggregation
from microveil.mask.aggregate import aggregate_groups
from microveil.mask.blocks import blocks_in_order, order_by_correlation
from microveil.partition import MDAV
from tests.mask.helpers import covariance, normal_frame, rank_interval, sd_interval
from tests.reference import census, eia_amounts, shared_file


def test_group_means_are_over_observed_cells():
    X = np.array([[10.0], [12.0], [13.0], [14.0], [np.nan]])
    out = aggregate_groups(X, np.zeros(5, dtype=np.int64))
    assert out[:4, 0].tolist() == [12.25] * 4
    assert np.isnan(out[4, 0])


def test_median_is_the_lower_and_trimmed_drops_the_extremes():
    X = np.array([[1.0], [2.0], [4.0], [100.0], [7.0], [9.0]])
    labels = np.array([0, 0, 0, 0, 1, 1])
    assert aggregate_groups(X, labels, "median")[:, 0].tolist() == [2, 2, 2, 2, 7, 7]
    assert aggregate_groups(X, labels, "trimmed")[:, 0].tolist() == [3, 3, 3, 3, 8, 8]


def test_within_group_scatter_is_what_the_covariance_loses():
    frame = normal_frame(100)
    release = Microaggregation().apply(frame, seed=1)
    within = (frame - release.frame).to_numpy()
    lost = covariance(frame) - covariance(release.frame)
    assert lost == pytest.approx(within.T @ within / 100, rel=1e-9)
    assert release.frame.mean().to_numpy() == pytest.approx(frame.mean().to_numpy(), rel=1e-12)


def test_every_row_occurs_k_times_and_groups_are_told():
    release = Microaggregation(partition=MDAV(k=5)).apply(normal_frame(103), seed=1)
    assert release.frame.value_counts().min() >= 5
    assert np.bincount(release.groups).min() >= 5
    assert any(isinstance(claim, EqualRowsAtLeast) and claim.k == 5 for claim in release.claims)


@pytest.mark.parametrize("k", [3, 5])
def test_census_equals_the_reference_matrix(k):
    with gzip.open(shared_file("oracles", "microaggregation", f"census_mdav_k{k}.csv.gz")) as file:
        expected = pd.read_csv(file).to_numpy()
    frame = census()
    masked = Microaggregation(partition=MDAV(k=k)).apply(frame, seed=1).frame
    z = ((masked - frame.mean()) / frame.std(ddof=1)).to_numpy()
    assert np.isclose(z, expected, atol=1e-6).all(axis=1).mean() > 0.995


def test_published_disclosure_on_eia():
    original = eia_amounts()
    masked = Microaggregation().apply(original, seed=1).frame
    assert rank_interval(original.to_numpy(), masked.to_numpy()) == pytest.approx(93.0, abs=0.1)
    assert sd_interval(original.to_numpy(), masked.to_numpy()) == pytest.approx(84.6, abs=0.15)


def test_thirteen_columns_in_blocks_of_three():
    names = [f"v{i}" for i in range(1, 14)]
    assert [len(block) for block in blocks_in_order(names, 3)] == [3, 3, 3, 4]
    assert blocks_in_order(names[:5], 3) == (("v1", "v2", "v3"), ("v4", "v5"))
    assert blocks_in_order(names[:3], 1) == (("v1",), ("v2",), ("v3",))
    assert blocks_in_order(names[:1], 3) == (("v1",),)


def test_rows_occur_k_times_on_each_block():
    frame = census()
    release = Microaggregation(blocks=3).apply(frame, seed=1)
    names = list(frame)
    for block in (names[:3], names[3:6], names[6:9], names[9:]):
        assert release.frame[block].value_counts().min() >= 3
    assert release.frame.value_counts().min() < 3
    assert release.groups is None


def test_blocks_by_name():
    frame = normal_frame(60, 4)
    release = Microaggregation(blocks=[["d", "a"], ["b", "c"]]).apply(frame, seed=1)
    assert list(release.frame) == ["a", "b", "c", "d"]
    assert release.frame[["a", "d"]].value_counts().min() >= 3
    for blocks, text in (
        ([["a", "b"]], r"no block holds \['c', 'd'\]"),
        ([["a", "b"], ["b", "c", "d"]], r"\['b'\] more than once"),
        ([["a", "b", "c", "d", "z"]], r"blocks name \['z'\]"),
    ):
        with pytest.raises(BadInput, match=text):
            Microaggregation(blocks=blocks).apply(frame, seed=1)


def test_correlated_attributes_come_together():
    generator = np.random.default_rng(0)
    u, v = generator.normal(size=(2, 200))
    X = np.column_stack([u, v, u + 0.1 * generator.normal(size=200), v + 0.2 * generator.normal(size=200)])
    order = order_by_correlation(X, list("abcd"), 2)
    assert {frozenset(block) for block in blocks_in_order(order, 2)} == {frozenset("ac"), frozenset("bd")}
    frame = pd.DataFrame(X, columns=list("abcd"))
    release = Microaggregation(blocks=2, order="correlation").apply(frame, seed=1)
    assert release.frame[["a", "c"]].value_counts().min() >= 3
    with pytest.raises(BadInput, match="order='correlation' needs blocks 1 or more; blocks is"):
        Microaggregation(order="correlation")


def test_gaps_stay_and_rows_agree_aside_from_them():
    frame = normal_frame(90)
    frame.loc[[0, 7, 20, 21], "a"] = np.nan
    frame.loc[[7, 50], "c"] = np.nan
    for method in (Microaggregation(), Microaggregation(blocks=2)):
        release = method.apply(frame, seed=1, missing="mask")
        assert (release.frame.isna() == frame.isna()).all().all()
        assert release.frame.mean().to_numpy() == pytest.approx(frame.mean().to_numpy(), rel=1e-12)
    masked = Microaggregation().apply(frame, seed=1, missing="mask").frame.to_numpy()
    assert smallest_agreement(masked) >= 3


def test_no_average_is_of_fewer_than_k_values():
    frame = normal_frame(200)
    draw = np.random.default_rng(3)
    frame.loc[draw.random(200) < 0.7, "a"] = np.nan
    k = 5
    for operator in ("mean", "median", "trimmed"):
        method = Microaggregation(partition=mv.partition.MDAV(k=k), operator=operator)
        release = method.apply(frame, seed=1, missing="mask")
        assert release.frame["a"].value_counts().min() >= k  # a single value left in its group came back as it was
        assert smallest_agreement(release.frame.to_numpy()) >= k
        assert not np.isin(release.frame["a"].dropna(), frame["a"]).any() or operator == "median"
        assert (release.frame.isna() == frame.isna()).all().all()
    frame.loc[4:, "a"] = np.nan
    frame.loc[:3, "a"] = [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(NotEnoughRecords, match="at least k=5 values in each column, and 'a' has 4 values"):
        Microaggregation(partition=mv.partition.MDAV(k=k)).apply(frame, seed=1, missing="mask")


def test_agreement_counts_gaps_as_anything():
    nan = np.nan
    assert smallest_agreement(np.array([[1, 2], [1, nan], [nan, 2], [1, 2]])) == 4
    assert smallest_agreement(np.array([[1, 2], [1, nan], [3, 2.0]])) == 1


def test_fewer_records_than_k_are_refused_also_in_subdomains():
    with pytest.raises(NotEnoughRecords, match="needs at least k=3 records: 2 given"):
        Microaggregation().apply(normal_frame(2), seed=1)
    frame = normal_frame(10).assign(area=["n"] * 8 + ["s"] * 2)
    with pytest.raises(NotEnoughRecords, match="in the subdomain area=s"):
        Microaggregation().apply(frame, columns=["a", "b"], by="area", seed=1)


def test_weighted_means_use_the_survey_weights_and_ones_change_nothing():
    frame = pd.DataFrame({"x": [0.0, 1.0, 5.0, 90.0, 91.0, 95.0], "w": [1.0, 1.0, 2.0, 1.0, 1.0, 8.0]})
    partition = mv.partition.MDAV(k=3)
    weighted = mv.mask.Microaggregation(partition=partition, operator="weighted")
    data = mv.Microdata(frame, roles={"w": "weight"})
    assert weighted.apply(data, columns=["x"]).frame["x"].tolist() == [2.75] * 3 + [94.1] * 3
    ones = mv.Microdata(frame.assign(w=1.0), roles={"w": "weight"})
    plain = mv.mask.Microaggregation(partition=partition).apply(frame, columns=["x"]).frame["x"]
    assert weighted.apply(ones, columns=["x"]).frame["x"].tolist() == plain.tolist()
    with pytest.raises(BadInput, match="needs survey weights; give one column the role weight"):
        weighted.apply(frame, columns=["x"])
