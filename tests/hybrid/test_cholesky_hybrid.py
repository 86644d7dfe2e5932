"""Masked files with the original's moments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.data.microdata import Microdata
from microveil.hybrid import CholeskyHybrid
from microveil.mask import (
    GlobalRecode,
    Microaggregation,
    Pram,
    RankSwap,
    Round,
    Sample,
    UncorrelatedNoise,
)
from microveil.partition import MDAV
from microveil.run.contract import Step
from microveil.run.state import State
from tests.hybrid.helpers import EXACT, FILES, moment_error
from tests.mask.helpers import normal_frame
from tests.reference import eia_amounts
from tests.streams import streams_of

CORES = ["minimal", "polar", "paper"]
MASKS = [RankSwap(p=7), Microaggregation(), UncorrelatedNoise(p=0.3)]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("mask", MASKS, ids=lambda mask: mask.name)
@pytest.mark.parametrize("file", ["normal", "singular", "eia"])
def test_means_and_covariances_are_exact(file, mask, core):
    frame = FILES[file]()
    release = CholeskyHybrid(mask=mask, core=core).apply(frame, columns=list(frame), seed=1)
    assert moment_error(frame, release.frame) < EXACT
    assert not np.allclose(release.frame, frame)


@pytest.mark.parametrize("core", CORES)
def test_a_tiny_file_is_exact(core):
    frame = normal_frame(5)
    release = CholeskyHybrid(mask=UncorrelatedNoise(p=0.3), core=core).apply(frame, seed=1)
    assert moment_error(frame, release.frame) < EXACT


def transcribed(X, masked):
    """The published algorithms, index by index (1-based as printed)."""
    n, m = X.shape
    U = np.linalg.cholesky(np.cov(X.T, ddof=0)).T
    A = masked @ np.linalg.inv(U)
    A[:, 0] -= A[:, 0].mean()
    for v in range(2, m + 1):
        left, right = np.zeros((v - 1, v - 1)), np.zeros(v - 1)
        for j in range(1, v):
            right[j - 1] = -sum(A[i - 1, j - 1] * A[i - 1, v - 1] for i in range(1, n - v + 2))
            for i in range(1, v):
                left[j - 1, i - 1] = A[n - v + 1 + i - 1, j - 1]
        x = np.linalg.solve(left, right)
        for i in range(1, v):
            A[n - v + 1 + i - 1, v - 1] = x[i - 1]
        A[:, v - 1] -= A[:, v - 1].mean()
    return (A / A.std(axis=0)) @ U + X.mean(axis=0)


def test_paper_is_the_published_algorithm_once_the_corrected_records_stand_last():
    from microveil.hybrid.triangular import decorrelate

    frame = normal_frame(20)
    X = frame.to_numpy()
    Y = RankSwap(p=20).apply(frame, seed=1).frame.to_numpy()
    U = np.linalg.cholesky(np.cov(X.T, ddof=0)).T
    in_file_order, taken = decorrelate(Y @ np.linalg.inv(U), rows=[19, 18])
    assert taken == [19, 18]
    assert in_file_order @ U + X.mean(axis=0) == pytest.approx(transcribed(X, Y), rel=1e-9)


def test_the_paper_core_runs_it_with_well_conditioned_records():
    from microveil.hybrid.triangular import decorrelate, triangular_hybrid

    X = normal_frame(20).to_numpy()
    Y = X + np.random.default_rng(3).normal(size=X.shape) * X.std(axis=0)
    V = np.cov(X.T, ddof=0)
    _, taken = decorrelate((Y - Y.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(V).T))
    order = np.array([i for i in range(20) if i not in taken] + taken[::-1])
    expected = np.empty_like(X)
    expected[order] = transcribed(X, Y[order])
    assert triangular_hybrid(Y, X.mean(axis=0), V) == pytest.approx(expected, rel=1e-9)


def test_a_record_at_the_mean_that_takes_the_correction_is_refused():
    from microveil.hybrid.triangular import decorrelate

    A = np.random.default_rng(1).normal(size=(20, 3))
    A[-1, 0] = A[:-1, 0].mean()
    with pytest.raises(BadInput, match=r"the records \[19\] have condition .*, more than 1e\+12"):
        decorrelate(A, rows=[19, 18])
    assert np.cov(decorrelate(A)[0].T, ddof=0) == pytest.approx(np.eye(3), abs=1e-12)


def test_the_published_row_order_moves_a_microaggregated_file_far_and_minimal_does_not():
    from microveil.hybrid.triangular import decorrelate

    frame = eia_amounts()
    X, Y = frame.to_numpy(), Microaggregation().apply(frame, seed=1).frame.to_numpy()
    U = np.linalg.cholesky(np.cov(X.T, ddof=0)).T
    last = list(range(len(X) - 1, len(X) - X.shape[1], -1))
    published = decorrelate(Y @ np.linalg.inv(U), rows=last)[0] @ U + X.mean(axis=0)
    minimal = CholeskyHybrid(mask=Microaggregation()).apply(frame, seed=1).frame.to_numpy()
    found = [np.sqrt(np.mean(((file - X) / X.std(axis=0)) ** 2)) for file in (Y, published, minimal)]
    assert found == pytest.approx([0.077, 0.567, 0.077], abs=0.0006)


def test_distances_after_rank_swapping_are_those_measured_before():
    from microveil.hybrid.triangular import decorrelate

    frame = eia_amounts()
    X, mask = frame.to_numpy(), RankSwap(p=7, pairing="uniform")
    U = np.linalg.cholesky(np.cov(X.T, ddof=0)).T
    last = list(range(len(X) - 1, len(X) - X.shape[1], -1))
    found = []
    for seed in range(4):
        Y = mask.apply(frame, seed=seed).frame.to_numpy()
        published = decorrelate(Y @ np.linalg.inv(U), rows=last)[0] @ U + X.mean(axis=0)
        minimal = CholeskyHybrid(mask=mask).apply(frame, seed=seed).frame.to_numpy()
        found.append([np.sqrt(np.mean(((file - X) / X.std(axis=0)) ** 2)) for file in (Y, published, minimal)])
    assert np.mean(found, axis=0) == pytest.approx([0.687, 0.910, 0.565], abs=0.03)


def test_paper_separates_no_more_equal_records_than_columns_less_one():
    frame = normal_frame(60, p=4)
    mask = Microaggregation(partition=MDAV(k=5))
    masked, paper = (method.apply(frame, seed=1).frame for method in (mask, CholeskyHybrid(mask=mask, core="paper")))
    of_group = masked.groupby(list("abcd")).ngroup()
    usual = paper.groupby(of_group).transform("median")
    apart = (np.abs(paper - usual) > 1e-9 * paper.std()).any(axis=1)
    assert 1 <= apart.sum() <= 3


def drawn_alike(method, frame):
    """What a method makes of a file by the same draws for every file: under one key other files have other draws."""
    state = State.begin(Microdata(frame)).advance(Step(method), streams_of(1))
    return np.column_stack([state.changed[name].data for name in frame])


@pytest.mark.parametrize("core", CORES)
def test_units_and_origins_of_the_columns_do_not_matter(core):
    frame = normal_frame(80)
    method = CholeskyHybrid(mask=UncorrelatedNoise(p=0.3), core=core)
    scale, shift = np.array([1e9, 1e-6, 1.0]), np.array([1e12, 0.0, 1e6])
    plain, moved = (drawn_alike(method, data) for data in (frame, frame * scale + shift))
    assert (moved - shift) / scale == pytest.approx(plain, rel=1e-6)


def test_minimal_is_nearest_to_the_masked_file():
    frame = eia_amounts()
    scale = frame.std(ddof=0).to_numpy()
    mask = UncorrelatedNoise(p=0.16)
    files = {core: CholeskyHybrid(mask=mask, core=core).apply(frame, seed=1).frame.to_numpy() for core in CORES}
    assert files["polar"] == pytest.approx(files["minimal"], rel=1e-6, abs=1e-6 * scale.min())
    moves = {core: np.sqrt(np.mean(((file - frame.to_numpy()) / scale) ** 2)) for core, file in files.items()}
    # measured .126 on this file for the smallest change
    assert moves["minimal"] == pytest.approx(0.126, abs=0.004)
    assert moves["minimal"] < moves["paper"]


@pytest.mark.parametrize("core", CORES)
def test_no_core_is_nearer_to_a_rounded_file_than_minimal(core):
    for seed in range(10):
        frame = normal_frame(30, seed=seed)
        masked = Round(base=40.0).apply(frame, seed=1).frame.to_numpy()
        scale = frame.std(ddof=0).to_numpy()

        def distance(chosen, frame=frame, masked=masked, scale=scale):
            file = CholeskyHybrid(mask=Round(base=40.0), core=chosen).apply(frame, seed=1).frame.to_numpy()
            moved = (file - file.mean(axis=0)) - (masked - masked.mean(axis=0))
            return np.linalg.norm(moved / scale)

        assert distance("minimal") <= distance(core) * (1 + 1e-9)


@pytest.mark.parametrize("core", CORES)
def test_subdomains_and_their_union_are_exact(core):
    frame = normal_frame(90).assign(part=np.repeat(["x", "y", "z"], 30))
    names = ["a", "b", "c"]
    release = CholeskyHybrid(mask=RankSwap(p=20), core=core).apply(frame, columns=names, by="part", seed=1).frame
    for parts in (["x"], ["y"], ["z"], ["x", "z"], ["x", "y", "z"]):
        rows = frame.part.isin(parts)
        assert moment_error(frame.loc[rows, names], release.loc[rows, names]) < EXACT


def test_equal_masked_records_stay_equal_and_this_is_promised():
    frame = normal_frame(99)
    release = CholeskyHybrid(mask=Microaggregation(partition=MDAV(k=4))).apply(frame, seed=1)
    assert release.frame.value_counts().min() >= 4
    assert any("at least 4 times" in str(claim) for claim in release.claims)


def test_promises_on_some_columns_only_are_not_repeated():
    for method in (
        CholeskyHybrid(mask=Microaggregation(blocks=(("a",), ("b",)))),
        CholeskyHybrid(mask=RankSwap()),
        CholeskyHybrid(mask=Microaggregation(), core="paper"),
    ):
        assert [type(claim).__name__ for claim in method.claims(("a", "b"))] == ["MeansKept", "CovariancesKept"]


def test_minimal_does_not_depend_on_the_order_of_records():
    frame = normal_frame(50)
    order = np.random.default_rng(2).permutation(50)
    method = CholeskyHybrid(mask=Round(base=0.5))
    straight = method.apply(frame, seed=1).frame.to_numpy()
    shuffled = method.apply(frame.iloc[order].reset_index(drop=True), seed=1).frame.to_numpy()
    assert shuffled == pytest.approx(straight[order], rel=1e-10)


def test_few_different_records_are_filled_or_refused_where_equal_ones_must_stay():
    frame = normal_frame(12, p=4)
    mask = Microaggregation(partition=MDAV(k=4))
    with pytest.raises(BadInput, match=r"without separating the equal records .* use core='polar'"):
        CholeskyHybrid(mask=mask).apply(frame, seed=1)
    polar = CholeskyHybrid(mask=mask, core="polar").apply(frame, seed=1)
    assert moment_error(frame, polar.frame) < EXACT
    assert any("drawn at random" in note for note in polar.notes)
    paper = CholeskyHybrid(mask=mask, core="paper").apply(frame, seed=1)
    assert moment_error(frame, paper.frame) < EXACT
    assert len(paper.frame.round(6).drop_duplicates()) <= 3 + 3


def test_a_column_made_constant_is_drawn_or_refused():
    frame = normal_frame(30)
    mask = Round(base=1e6)
    release = CholeskyHybrid(mask=mask).apply(frame, seed=1)
    assert moment_error(frame, release.frame) < EXACT
    with pytest.raises(BadInput, match="column 1: it is constant after masking"):
        CholeskyHybrid(mask=mask, core="paper").apply(frame, seed=1)


def test_a_sample_has_the_moments_of_the_whole_file():
    frame = normal_frame(80)
    release = CholeskyHybrid(mask=Sample(fraction=0.5)).apply(frame, seed=1).frame
    assert len(release) == 40
    assert moment_error(frame, release) < EXACT


@pytest.mark.parametrize("core", CORES)
def test_too_few_records_are_refused(core):
    method = CholeskyHybrid(mask=UncorrelatedNoise(p=0.3), core=core)
    with pytest.raises(NotEnoughRecords, match="needs at least 3 records for 1 columns that vary: 2 given"):
        method.apply(pd.DataFrame({"a": [1.0, 2.5]}), seed=1)
    small = CholeskyHybrid(mask=Sample(fraction=0.1), core=core)
    with pytest.raises(NotEnoughRecords, match="needs at least 4 records for 3 columns that vary: 3 given"):
        small.apply(normal_frame(30), seed=1)


def test_the_mask_must_act_on_numbers():
    with pytest.raises(BadInput, match="mask='pram' protects"):
        CholeskyHybrid(mask=Pram())
    with pytest.raises(BadInput, match=r"global-recode made categories of \['a', 'b', 'c'\]"):
        CholeskyHybrid(mask=GlobalRecode()).apply(normal_frame(60), seed=1)
