"""Masks inside clusters: what is exact in every cluster, what a union inherits, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.claims import (
    CovariancesKept,
    EqualRowsAtLeast,
    GroupsAtLeast,
    MeansKept,
    RankShiftWithin,
    ValuesKept,
)
from microveil.core import BadInput, NotEnoughRecords
from microveil.hybrid import LocalMasking
from microveil.mask import (
    ExactNoise,
    GlobalRecode,
    Massc,
    Microaggregation,
    Pram,
    Pseudonymise,
    RandomOrthogonal,
    RankSwap,
    Round,
    SwapInGroups,
    UncorrelatedNoise,
)
from microveil.mask.base import Mask
from microveil.partition import MDAV, Blocked
from tests.hybrid.helpers import EXACT, moment_error
from tests.marks import ANY_FILE
from tests.mask.helpers import normal_frame
from tests.reference import census, eia_amounts


def apply(method, frame, **how):
    return method.apply(frame, columns=list(frame), **{"seed": 1, **how})


def clusters_of(method, frame):
    return method.partition.labels(frame.to_numpy(dtype=float))


def error_in_clusters(method, frame, release):
    """Largest change of a mean or covariance in any cluster, in standard deviations of the file."""
    scale = np.where(frame.std(ddof=0) > 0, frame.std(ddof=0), 1.0)
    x, y, worst = frame / scale, release.frame / scale, 0.0
    for rows in pd.Series(clusters_of(method, frame)).groupby(clusters_of(method, frame)).groups.values():
        a, b = x.iloc[rows].to_numpy(), y.iloc[rows].to_numpy()
        worst = max(worst, np.abs(a.mean(axis=0) - b.mean(axis=0)).max())
        worst = max(worst, np.abs(np.cov(a.T, ddof=0) - np.cov(b.T, ddof=0)).max())
    return worst


def two_parts(n=200):
    draw = np.random.default_rng(0)
    return pd.DataFrame(np.vstack([draw.normal(0, 1, (n, 2)), draw.normal(50, 1, (n, 2))]), columns=["a", "b"])


@given(n=st.integers(20, 150), p=st.integers(1, 4), k=st.integers(9, 20), noise=st.sampled_from([0.1, 1.0, 10.0]))
def test_exact_noise_is_exact_in_every_cluster(n, p, k, noise):
    frame = normal_frame(n, p)
    method = LocalMasking(partition=MDAV(k=k), mask=ExactNoise(p=noise))
    release = apply(method, frame)
    assert error_in_clusters(method, frame, release) < EXACT
    assert moment_error(frame, release.frame) < EXACT
    assert (np.bincount(release.groups) >= k).all()
    assert (release.groups == clusters_of(method, frame)).all()


def test_exact_noise_correlates_with_the_original_as_it_says_in_every_cluster():
    frame = normal_frame(120)
    release = apply(LocalMasking(mask=ExactNoise(p=0.75)), frame)
    for group in range(release.groups.max() + 1):
        rows = release.groups == group
        for name in frame:
            found = np.corrcoef(frame[name][rows], release.frame[name][rows])[0, 1]
            assert found == pytest.approx(1 / np.sqrt(1 + 0.75**2), abs=1e-9)


@pytest.mark.parametrize("file", [census, eia_amounts])
@pytest.mark.parametrize("mask", [RankSwap(p=20), UncorrelatedNoise(), Round(base=10.0)])
def test_restored_moments_are_exact_in_every_cluster(file, mask):
    frame = file().iloc[:1000]
    method = LocalMasking(partition=MDAV(k=30), mask=mask, restore=True)
    release = apply(method, frame)
    assert error_in_clusters(method, frame, release) < EXACT
    assert moment_error(frame, release.frame) < EXACT
    assert set(method.claims(tuple(frame))) == {MeansKept(), CovariancesKept()}


def test_microaggregation_inside_clusters_keeps_k_equal_records_also_when_restored():
    frame = normal_frame(300)
    method = LocalMasking(partition=MDAV(k=60), mask=Microaggregation(), restore=True)
    release = apply(method, frame)
    assert release.frame.groupby(list(frame)).size().min() >= 3
    assert error_in_clusters(method, frame, release) < EXACT
    assert any(isinstance(claim, EqualRowsAtLeast) and claim.k == 3 for claim in release.claims)
    few = LocalMasking(partition=MDAV(k=9), mask=Microaggregation(), restore=True)
    with pytest.raises(BadInput, match=r"in cluster \d+ of \d+ records: the covariance cannot be restored without"):
        apply(few, frame)


def test_blocks_of_near_records_keep_what_clusters_keep_and_make_one_column():
    frame = eia_amounts().iloc[:600]
    release = apply(LocalMasking(partition=Blocked(base=MDAV(k=25), size=150)), frame)
    assert moment_error(frame, release.frame) < EXACT
    assert {MeansKept(columns=tuple(frame)), CovariancesKept(columns=tuple(frame))} <= set(release.claims)
    assert (np.bincount(release.groups) >= 25).all()
    # one cluster in each block: it is the blocks that do not agree
    recoded = LocalMasking(partition=Blocked(base=MDAV(k=30), size=60), mask=GlobalRecode(bins=2))
    with pytest.raises(
        BadInput, match=r"other categories of '\w+' in one block than in another; use a mask that keeps"
    ):
        apply(recoded, frame)


def test_values_stay_in_their_cluster():
    frame = two_parts()
    method = LocalMasking(partition=MDAV(k=200), mask=RankSwap(p=100))
    release = apply(method, frame)
    assert ValuesKept(columns=("a", "b")) in release.claims
    for rows in (slice(0, 200), slice(200, 400)):
        assert (np.sort(frame.a[rows]) == np.sort(release.frame.a[rows])).all()
    assert not (release.frame.a == frame.a).all()


def test_noise_follows_the_spread_of_a_cluster_and_not_that_of_the_file():
    frame = two_parts()
    local = apply(LocalMasking(partition=MDAV(k=200), mask=UncorrelatedNoise(p=0.5)), frame)
    whole = apply(UncorrelatedNoise(p=0.5), frame)
    assert (local.frame - frame).std().max() < 0.7
    assert (whole.frame - frame).std().min() > 10


def test_a_union_inherits_no_ranks_and_noise_gives_no_groups():
    columns = ("a", "b")
    assert not any(isinstance(claim, RankShiftWithin) for claim in LocalMasking(mask=RankSwap(p=5)).claims(columns))
    assert LocalMasking().claims(columns) == (MeansKept(), CovariancesKept())
    assert LocalMasking(mask=UncorrelatedNoise(exact=True)).claims(columns) == (MeansKept(),)
    assert LocalMasking(mask=RandomOrthogonal()).claims(columns) == RandomOrthogonal().claims(columns)
    release = apply(LocalMasking(), normal_frame(100))
    assert release.guarantee.k is None
    assert "the clusters hide nobody among their members" in release.notes[0]


@ANY_FILE
def test_groups_of_the_mask_protect_as_they_do_alone():
    frame = normal_frame(120)
    release = apply(LocalMasking(partition=MDAV(k=40), mask=SwapInGroups(partition=MDAV(k=4))), frame)
    assert np.bincount(release.groups).min() >= 4
    assert len(np.unique(release.groups)) > 3
    assert GroupsAtLeast(columns=tuple(frame), k=4) in release.claims
    assert release.guarantee.k == 4
    assert not any("hide nobody" in note for note in release.notes)


def test_categories_are_masked_in_clusters_of_alike_records():
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"a": draw.choice(list("xyz"), 200), "b": draw.choice(list("uv"), 200)})
    method = LocalMasking(mask=Pram(), partition=MDAV(k=50))
    release = apply(method, frame)
    assert method.kinds == Pram().kinds
    assert not (release.frame == frame).all(axis=None)
    assert set(release.frame.a) <= {"x", "y", "z"}
    with pytest.raises(BadInput, match="pram protects ordinal and nominal columns; leave restore out"):
        LocalMasking(mask=Pram(), restore=True)


def test_a_column_without_values_in_a_cluster_stays_empty():
    frame = two_parts()
    frame.loc[:199, "b"] = np.nan
    release = apply(LocalMasking(partition=MDAV(k=100), mask=UncorrelatedNoise()), frame, missing="mask")
    assert (release.frame.b.isna() == frame.b.isna()).all()
    assert not (release.frame.a == frame.a).any()


def test_what_does_not_fit_is_refused_before_anything_is_returned():
    frame = normal_frame(60)
    with pytest.raises(NotEnoughRecords, match=r"exact-noise needs 2 columns \+ 1 records in every cluster, 7 here"):
        apply(LocalMasking(partition=MDAV(k=5)), frame)
    with pytest.raises(
        NotEnoughRecords, match=r"in cluster 0 of 3 records: microaggregation needs at least k=4 records"
    ):
        apply(LocalMasking(partition=MDAV(k=3), mask=Microaggregation(partition=MDAV(k=4))), frame)
    with pytest.raises(
        NotEnoughRecords, match=r"in cluster 0 of 2 records: restoring .* needs at least 3 records; raise"
    ):
        apply(LocalMasking(partition=MDAV(k=2), mask=UncorrelatedNoise(), restore=True), frame[["a"]])
    words = pd.DataFrame({"a": list("xyz") * 40, "b": list("uvuw") * 30})
    with pytest.raises(BadInput, match="massc leaves records out or changes their places"):
        apply(LocalMasking(mask=Massc(), partition=MDAV(k=40)), words)
    with pytest.raises(BadInput, match="pseudonymise made other categories of 'a' in one cluster than in another"):
        apply(LocalMasking(mask=Pseudonymise(), partition=MDAV(k=20)), frame)


def test_categories_made_alike_in_every_cluster_are_joined():
    frame = pd.DataFrame({"a": np.arange(0.0, 200.0)})
    recode = GlobalRecode(cuts={"a": (100.0,)})
    local, whole = apply(LocalMasking(mask=recode, partition=MDAV(k=20)), frame), apply(recode, frame)
    assert (local.frame.a.astype(str) == whole.frame.a.astype(str)).all()


def test_clusters_have_streams_of_their_own():
    frame = pd.concat([normal_frame(40), normal_frame(40) + 1e6], ignore_index=True)
    release = apply(LocalMasking(partition=MDAV(k=40), mask=UncorrelatedNoise()), frame)
    change = (release.frame - frame).to_numpy()
    assert np.abs(change[:40] - change[40:]).min() > 1e-6


def test_exact_noise_in_one_pass_promises_what_cluster_by_cluster_does(monkeypatch):
    frame, method = normal_frame(120), LocalMasking(partition=MDAV(k=20), mask=ExactNoise(p=0.5))
    at_once = apply(method, frame)
    # the general way, which other masks take
    monkeypatch.setattr(ExactNoise, "run_in_groups", Mask.run_in_groups)
    one_by_one = apply(method, frame)
    assert not at_once.frame.equals(one_by_one.frame)
    assert at_once.claims == one_by_one.claims
    assert at_once.notes == one_by_one.notes
    assert (at_once.groups == one_by_one.groups).all()
    for release in (at_once, one_by_one):
        assert error_in_clusters(method, frame, release) < EXACT
        for rows in (np.flatnonzero(at_once.groups == g) for g in range(3)):
            a, b = frame.iloc[rows], release.frame.iloc[rows]
            for name in frame:
                assert np.corrcoef(a[name], b[name])[0, 1] == pytest.approx(1 / np.sqrt(1.25))
