"""Masks that keep moments: Kim's noise, orthogonal masking, additive perturbation, shuffling, matrix form."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.mask import (
    DataShuffle,
    Gadp,
    KimNoise,
    MatrixMask,
    Microaggregation,
    RandomOrthogonal,
    RankSwap,
    Sample,
    UncorrelatedNoise,
    corrected_domain_moments,
    matrix_form,
)
from microveil.mask.matrix_mask import averaging_form, noise_form, sampling_form, swapping_form
from tests.mask.helpers import covariance, normal_frame
from tests.reference import census


def relative(found, expected):
    scale = np.sqrt(np.diag(expected))
    return np.abs((found - expected) / np.outer(scale, scale)).max()


@pytest.mark.parametrize("distance", [0.01, 1.0, 100.0, np.inf])
@pytest.mark.parametrize("decomposition", ["svd", "qr"])
def test_orthogonal_masking_keeps_moments_at_every_distance(distance, decomposition):
    frame = normal_frame(60, 4)
    masked = RandomOrthogonal(distance=distance, decomposition=decomposition).apply(
        frame, columns=["b", "c", "d"], given=["a"], seed=1
    )
    assert relative(covariance(masked.frame), covariance(frame)) < 1e-9
    assert masked.frame["a"].equals(frame["a"])


def test_orthogonal_masking_moves_away_with_distance():
    frame = normal_frame(80)
    away = [
        np.abs((RandomOrthogonal(distance=d).apply(frame, seed=1).frame - frame) / frame.std()).to_numpy().mean()
        for d in (0.01, 0.3, 3.0, np.inf)
    ]
    assert away == sorted(away)
    assert away[0] < 0.02


def test_orthogonal_masking_of_many_collinear_records():
    frame = pd.concat([census()] * 20, ignore_index=True)
    masked = RandomOrthogonal().apply(frame, seed=1).frame
    assert relative(covariance(masked), covariance(frame)) < 1e-9


def test_orthogonal_masking_needs_room():
    with pytest.raises(NotEnoughRecords, match="needs at least 5 records for 3 independent columns beside 1"):
        RandomOrthogonal().apply(normal_frame(4), seed=1)


def test_exact_perturbation_keeps_relations_and_forgets_residuals():
    frame = normal_frame(70, 4)
    frame["group"] = ["u", "v"] * 35
    release = Gadp().apply(frame, columns=["c", "d"], given=["a", "b", "group"], seed=1)
    numbers = ["a", "b", "c", "d"]
    assert relative(covariance(release.frame[numbers]), covariance(frame[numbers])) < 1e-9
    assert release.frame.groupby("group")[["c", "d"]].mean().to_numpy() == pytest.approx(
        frame.groupby("group")[["c", "d"]].mean().to_numpy()
    )
    W = np.column_stack([np.ones(70), frame[["a", "b"]], frame["group"] == "u"]).astype(float)

    def residual(table):
        T = table[["c", "d"]].to_numpy()
        return T - W @ np.linalg.lstsq(W, T, rcond=None)[0]

    old, new = residual(frame), residual(release.frame)
    assert np.abs(old.T @ new / 70 / np.outer(old.std(axis=0), new.std(axis=0))).max() < 1e-9


def test_plain_perturbation_keeps_relations_nearly():
    frame = normal_frame(20_000)
    masked = Gadp(exact=False).apply(frame, columns=["c"], given=["a", "b"], seed=1).frame
    assert np.corrcoef(masked.T) == pytest.approx(np.corrcoef(frame.T), abs=0.02)
    assert not np.allclose(masked["c"], frame["c"])


def test_exact_perturbation_needs_room():
    assert len(Gadp().apply(normal_frame(7), seed=1)) == 7
    with pytest.raises(NotEnoughRecords, match="needs at least"):
        Gadp().apply(normal_frame(6), seed=1)


def test_shuffling_keeps_values_and_rank_correlations():
    frame = normal_frame(5000)
    frame["c"] = np.exp(frame["c"] / frame["c"].std())
    masked = DataShuffle().apply(frame, columns=["b", "c"], given=["a"], seed=1).frame
    for name in ("b", "c"):
        assert sorted(masked[name]) == sorted(frame[name])
    assert np.abs(masked.corr("spearman") - frame.corr("spearman")).to_numpy().max() < 0.05
    ranks = frame.rank()
    left = np.polyfit(ranks["a"], ranks["c"], 1)
    old = ranks["c"] - np.polyval(left, ranks["a"])
    new = masked["c"].rank() - np.polyval(left, ranks["a"])
    assert abs(np.corrcoef(old, new)[0, 1]) < 4 / np.sqrt(5000)


def test_shuffling_a_single_column_with_gaps_and_ties():
    frame = pd.DataFrame({"x": [0.0] * 10 + [1.0, 2.0, np.nan, 4.0, 5.0], "g": ["u", "v", "w"] * 5})
    masked = DataShuffle().apply(frame, columns=["x"], given=["g"], seed=1, missing="mask").frame
    assert masked["x"].isna().tolist() == frame["x"].isna().tolist()
    assert sorted(masked["x"].dropna()) == sorted(frame["x"].dropna())


def test_kim_noise_is_row_scope_and_shrinks():
    frame = normal_frame(20_000)
    masked = KimNoise(p=0.5).apply(frame, seed=1).frame
    assert masked.var().to_numpy() == pytest.approx(frame.var().to_numpy(), rel=0.05)
    similarity = [np.corrcoef(frame[c], masked[c])[0, 1] for c in frame]
    assert similarity == pytest.approx([1 / np.sqrt(1.25)] * 3, abs=0.01)


@pytest.mark.full
def test_domain_corrections_of_kim_noise_are_unbiased():
    frame = normal_frame(200)
    domain = (frame["a"] > frame["a"].median()).to_numpy()
    found = []
    for seed in range(500):
        masked = KimNoise(p=0.7).apply(frame, seed=seed).frame.to_numpy()
        found.append(corrected_domain_moments(masked[domain], masked, 0.7))
    means = np.array([moments.mean for moments in found])
    error = means.std(axis=0, ddof=1) / np.sqrt(500)
    assert (np.abs(means.mean(axis=0) - frame[domain].mean().to_numpy()) <= 4 * error).all()
    covariances = np.array([moments.covariance for moments in found])
    error = covariances.std(axis=0, ddof=1) / np.sqrt(500)
    expected = covariance(frame[domain])
    # the noise's own mean takes one of the hundred records of the domain
    slack = 0.02 * np.abs(0.49 * covariance(frame))
    assert (np.abs(covariances.mean(axis=0) - expected) <= 4 * error + slack).all()


def test_matrix_mask_by_hand():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [10.0, 20.0]})
    masked = MatrixMask(A=[[0.5, 0.5], [0.5, 0.5]], B=[[1, 0], [0, 2]], C=[[1, -1]]).apply(frame, seed=1).frame
    assert masked.to_numpy().tolist() == [[2.5, 29.0], [2.5, 29.0]]
    with pytest.raises(BadInput, match=r"A has shape \(1, 1\); \(2, 2\) is needed"):
        MatrixMask(A=[[1.0]]).apply(frame, seed=1)


def test_matrix_forms_reproduce_their_methods():
    frame = normal_frame(30)
    X = frame.to_numpy()
    groups = Microaggregation().apply(frame, seed=1)
    form = averaging_form(groups.groups, 3)
    assert form.of(X) == pytest.approx(groups.frame.to_numpy(), rel=1e-10)
    assert pytest.approx(form.A) == form.A @ form.A
    assert form.A.sum(axis=0) == pytest.approx(np.ones(30))
    swapped = RankSwap(p=20).apply(frame, seed=1).frame.to_numpy()
    form = swapping_form(X, swapped)
    assert form.of(X) == pytest.approx(swapped)
    assert (form.A.sum(axis=1) == 1).all()
    assert (form.A.sum(axis=2) == 1).all()
    noisy = UncorrelatedNoise().apply(frame, seed=1).frame.to_numpy()
    assert noise_form(X, noisy).of(X) == pytest.approx(noisy)
    rows = np.array([3, 7, 11])
    assert sampling_form(rows, 30, 3).of(X) == pytest.approx(X[rows])
    for method in (Microaggregation(), RankSwap(p=20), UncorrelatedNoise(), KimNoise(), DataShuffle(), Sample()):
        release = method.apply(frame, seed=1)
        assert matrix_form(release).of(X) == pytest.approx(release.frame.to_numpy(), rel=1e-10), method
    with pytest.raises(BadInput, match="gadp on these columns has no matrix form"):
        matrix_form(Gadp().apply(frame, seed=1))
    with pytest.raises(BadInput, match="at most 5000 records"):
        averaging_form(np.zeros(6000, dtype=np.int64), 2)
