"""Additive noise: uncorrelated, correlated, exact."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput, MissingValues, NotEnoughRecords
from microveil.core.registry import registered
from microveil.mask import CorrelatedNoise, ExactNoise, KimNoise, Microaggregation, UncorrelatedNoise
from microveil.partition import MDAV, Blocked
from microveil.run import Method
from microveil.testing import grid_points
from tests.mask.helpers import covariance, normal_frame, rank_interval, sd_interval
from tests.reference import census, eia_amounts


def test_noise_of_the_published_size_on_eia():
    original = eia_amounts()
    masked = UncorrelatedNoise(p=0.16).apply(original, seed=1).frame
    assert rank_interval(original.to_numpy(), masked.to_numpy()) == pytest.approx(39.1, abs=0.6)
    assert sd_interval(original.to_numpy(), masked.to_numpy()) == pytest.approx(26.6, abs=0.6)


@pytest.mark.parametrize("distribution", ["normal", "uniform", "laplace", "two-point"])
def test_p_is_the_relative_standard_deviation_whatever_the_shape(distribution):
    frame = normal_frame(20_000)
    masked = UncorrelatedNoise(p=0.5, distribution=distribution).apply(frame, seed=5).frame
    change = (masked - frame).to_numpy() / frame.std(ddof=1).to_numpy()
    assert change.mean(axis=0) == pytest.approx(np.zeros(3), abs=0.02)
    assert change.std(axis=0) == pytest.approx(np.full(3, 0.5), rel=0.03)
    assert np.abs(np.corrcoef(change.T) - np.eye(3)).max() < 0.03


def test_noise_scale_means_the_same_in_every_method():
    frame = normal_frame(20_000)
    sd = frame.std(ddof=1).to_numpy()
    for method in (UncorrelatedNoise(p=0.3), CorrelatedNoise(p=0.3), CorrelatedNoise(p=0.3, exact=True)):
        change = (method.apply(frame, seed=2).frame - frame).to_numpy()
        assert change.std(axis=0) / sd == pytest.approx(np.full(3, 0.3), rel=0.03), method


def test_exact_uncorrelated_noise_adds_exactly_the_diagonal():
    frame = normal_frame(60)
    masked = UncorrelatedNoise(p=0.5, exact=True).apply(frame, seed=1).frame
    scale = np.sqrt(np.diag(covariance(frame)))
    added = (covariance(masked) - covariance(frame)) / np.outer(scale, scale)
    assert added == pytest.approx(0.25 * np.eye(3), abs=1e-9)
    assert masked.mean().to_numpy() == pytest.approx(frame.mean().to_numpy(), rel=1e-12)


def test_exact_correlated_noise_keeps_correlations_and_sums():
    frame = normal_frame(60)
    frame["total"] = frame["a"] + frame["b"]
    masked = CorrelatedNoise(p=0.7, exact=True).apply(frame, seed=1).frame
    assert np.corrcoef(masked.T) == pytest.approx(np.corrcoef(frame.T), abs=1e-9)
    assert covariance(masked) == pytest.approx(1.49 * covariance(frame), rel=1e-9)
    assert (masked["total"] - masked["a"] - masked["b"]).abs().max() < 1e-9 * frame["total"].std()


def test_plain_correlated_noise_keeps_linear_identities():
    frame = normal_frame(50)
    frame["total"] = frame["a"] + frame["b"]
    masked = CorrelatedNoise(p=0.7).apply(frame, seed=1).frame
    assert (masked["total"] - masked["a"] - masked["b"]).abs().max() < 1e-9 * frame["total"].std()


@pytest.mark.parametrize("p", [0.39, 2.0])
def test_exact_noise_keeps_moments_and_dials_similarity(p):
    frame = normal_frame(40)
    masked = ExactNoise(p=p).apply(frame, seed=1).frame
    assert covariance(masked) == pytest.approx(covariance(frame), rel=1e-9)
    for name in frame:
        similarity = np.corrcoef(frame[name], masked[name])[0, 1]
        assert similarity == pytest.approx(1 / np.sqrt(1 + p**2), abs=1e-9)


def test_collinear_census_survives_all_noise():
    frame = census()
    for method in (CorrelatedNoise(exact=True), ExactNoise(), UncorrelatedNoise(exact=True), CorrelatedNoise()):
        masked = method.apply(frame, seed=1).frame
        assert np.isfinite(masked.to_numpy()).all()


@pytest.mark.parametrize("method", [UncorrelatedNoise(exact=True), CorrelatedNoise(exact=True), ExactNoise()])
def test_exact_noise_needs_two_columns_plus_one_records(method):
    assert len(method.apply(normal_frame(7), seed=1)) == 7
    for n in (1, 2, 6):
        with pytest.raises(NotEnoughRecords, match="needs at least"):
            method.apply(normal_frame(n), seed=1)


def test_p_zero_is_the_identity_and_says_so():
    frame = normal_frame(20)
    for method in (UncorrelatedNoise(p=0), CorrelatedNoise(p=0), ExactNoise(p=0)):
        with pytest.warns(UserWarning, match="left every value of"):
            assert method.apply(frame, seed=1).frame.equals(frame)


def test_constant_columns_get_no_noise():
    frame = normal_frame(20).assign(fixed=3.25)
    for method in (UncorrelatedNoise(), CorrelatedNoise(), ExactNoise(), UncorrelatedNoise(exact=True)):
        assert (method.apply(frame, seed=1).frame["fixed"] == 3.25).all(), method


def test_zeros_stay_on_request():
    frame = pd.DataFrame({"a": [0.0, 0.0, 1.0, 5.0, 0.0, 2.0] * 10})
    masked = UncorrelatedNoise(zero_stay=True).apply(frame, seed=1).frame["a"]
    assert ((masked == 0) == (frame["a"] == 0)).all()


def test_gaps_stay_gaps_and_scales_come_from_observed_cells():
    frame = normal_frame(4000)
    frame.loc[::5, "b"] = np.nan
    for method in (UncorrelatedNoise(p=0.3), CorrelatedNoise(p=0.3)):
        masked = method.apply(frame, seed=1, missing="mask").frame
        assert (masked["b"].isna() == frame["b"].isna()).all()
        assert (masked["b"] - frame["b"]).std() == pytest.approx(0.3 * frame["b"].std(), rel=0.05)
    for method in (UncorrelatedNoise(exact=True), CorrelatedNoise(exact=True)):
        with pytest.raises(MissingValues, match="needs complete records"):
            method.apply(frame, seed=1, missing="mask")


def test_parameters_that_exclude_each_other():
    with pytest.raises(BadInput, match="exact=True needs"):
        UncorrelatedNoise(exact=True, distribution="uniform")
    with pytest.raises(BadInput, match=r"p must be between 0 and 10; -0.1 was given"):
        UncorrelatedNoise(p=-0.1)


@pytest.mark.full
def test_plain_noise_has_the_expected_covariance_over_many_keys():
    frame = normal_frame(50)
    for method, target in (
        (UncorrelatedNoise(p=0.5), covariance(frame) + 0.25 * np.diag(np.diag(covariance(frame))) * 50 / 49),
        (CorrelatedNoise(p=0.5), covariance(frame) * (1 + 0.25 * 50 / 49)),
    ):
        found = np.array([covariance(method.apply(frame, seed=seed).frame) for seed in range(200)])
        error = found.std(axis=0, ddof=1) / np.sqrt(200)
        # noise takes one degree of freedom for its own mean
        shrunk = target - (target - covariance(frame)) / 50
        assert (np.abs(found.mean(axis=0) - shrunk) <= 4 * error).all()


def test_every_method_states_what_it_must_know():
    found = {method.passes for cls in registered(Method) for method in grid_points(cls)}
    assert found == {"row", "sums", "counts", "order", "part", "blocks", "file"}
    assert Microaggregation(partition=Blocked(base=MDAV(k=3))).passes == "blocks"


@pytest.mark.parametrize("method", [CorrelatedNoise(), KimNoise()])
def test_correlated_noise_of_a_column_follows_the_others(method):
    frame = normal_frame(60)
    pair, every = (method.apply(frame, columns=names, seed=1).frame for names in (["a", "b"], ["a", "b", "c"]))
    assert (pair["a"] != every["a"]).any()
