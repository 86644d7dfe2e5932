"""Linkage by the covariance of the noise: measured figures on Census, and the covariance itself."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import MahalanobisLinkage
from microveil.attack.linking import whitening
from microveil.attack.noise_models import noise_model
from microveil.core.errors import NothingHidden
from microveil.mask import (
    CorrelatedNoise,
    ExactNoise,
    KimNoise,
    RankSwap,
    Round,
    Sample,
    SullivanNoise,
    UncorrelatedNoise,
)
from microveil.risk import DistanceLinkage


def parts_of(census: pa.Table, mask, columns: list[str]) -> dict[str, float]:
    return MahalanobisLinkage(known=columns)(census, mask.apply(census, columns=columns, seed=1)).parts


@pytest.mark.long
@pytest.mark.parametrize(
    ("alpha", "nearest", "matched"), [(0.1, 72, 87), pytest.param(0.5, 17, 29, marks=pytest.mark.full)]
)
def test_correlated_noise_on_nine_attributes(census, alpha, nearest, matched):
    found = parts_of(census, CorrelatedNoise(p=alpha**0.5), census.column_names[:9])
    assert found["nearest"] == pytest.approx(nearest, abs=2.5)
    assert found["one-to-one"] == pytest.approx(matched, abs=2.5)
    assert found["precision"] > 0.9


@pytest.mark.long
def test_correlated_noise_on_all_attributes(census):
    found = parts_of(census, CorrelatedNoise(p=0.3), census.column_names)
    assert found["nearest"] == pytest.approx(78.7, abs=3)  # of one release: two standard errors


def test_learnt_weights_do_without_the_method(census):
    census, columns = census.slice(0, 400), census.column_names
    release = CorrelatedNoise(p=0.3).apply(census, columns=columns, seed=1)
    learnt = MahalanobisLinkage(weights="learnt")(census, release.frame)
    assert learnt.parts["nearest"] > DistanceLinkage()(census, release).value + 15
    assert MahalanobisLinkage()(census, release.frame).value == learnt.value
    swapped = RankSwap(p=10).apply(census, columns=columns, seed=1)
    assert (
        MahalanobisLinkage()(census, swapped).value == MahalanobisLinkage(weights="learnt")(census, swapped).value > 20
    )


@pytest.mark.long
@pytest.mark.parametrize("later", [Round(base=1.0), Sample(fraction=0.9)], ids=lambda step: step.name)
def test_another_step_does_not_switch_it_off(census, later):
    columns = census.column_names
    noise = {"method": CorrelatedNoise(p=0.3), "columns": columns}
    step = {"method": later} if later.name == "sample" else {"method": later, "columns": columns}
    release = mv.Plan([noise, step]).run(census, seed=1)
    found = mv.evaluate(census, release, measures=["distance-linkage", "mahalanobis-linkage"])
    assert found["mahalanobis-linkage"].value > found["distance-linkage"].value + 15
    assert found.worst.value == pytest.approx(found["mahalanobis-linkage"].value)


@pytest.mark.parametrize("mask", [CorrelatedNoise(p=0), UncorrelatedNoise(p=0), KimNoise(p=0)], ids=lambda m: m.name)
def test_without_any_noise_everybody_is_found(mask):
    data = pa.table({name: np.random.default_rng(ord(name)).normal(size=80) for name in "ab"})
    with pytest.warns(NothingHidden):
        release = mask.apply(data, columns=["a", "b"], seed=1)
    assert MahalanobisLinkage()(data, release).value == 100


@pytest.mark.parametrize(
    "mask", [CorrelatedNoise(p=0.5), KimNoise(p=0.5), ExactNoise(p=0.5), UncorrelatedNoise(p=0.5)], ids=lambda m: m.name
)
def test_the_covariance_of_the_noise_follows_from_the_release(mask):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(4000, 3)) @ np.array([[1.0, 0.8, 0.2], [0, 1, 0.5], [0, 0, 2]])
    data = pa.table({f"x{j}": X[:, j] for j in range(3)})
    release = mask.apply(data, columns=data.column_names, seed=1)
    Y = np.column_stack([np.asarray(release.frame[name]) for name in data.column_names])
    model = noise_model(mask, X, Y)
    E = model.released - model.known
    assert model.covariance == pytest.approx(np.cov(E.T), abs=0.06)
    # points times the root have unit covariance
    assert np.cov((E @ whitening(model.covariance)).T) == pytest.approx(np.eye(3), abs=0.1)


@pytest.mark.long
def test_noise_on_scores_is_undone_on_scores(census):
    release = SullivanNoise(p=0.3).apply(census, columns=census.column_names, seed=1)
    assert MahalanobisLinkage()(census, release).parts["nearest"] > DistanceLinkage()(census, release).value + 20


def test_a_direction_without_noise_is_left_out():
    V = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert whitening(V).shape == (2, 1)
    assert whitening(np.zeros((2, 2))).shape[1] == 0


def test_gaps_and_columns_that_nobody_changed():
    draw = np.random.default_rng(3)
    x = draw.normal(size=(80, 2))
    gappy = [None if i % 5 == 0 else value for i, value in enumerate(x[:, 0])]
    data = pa.table({"a": gappy, "b": x[:, 1], "town": [f"t{i % 40}" for i in range(80)]})
    release = CorrelatedNoise(p=2.0).apply(data, columns=["a", "b"], seed=1, missing="mask")
    alone, with_town = (
        MahalanobisLinkage(known=known)(data, release).value for known in (["a", "b"], ["a", "b", "town"])
    )
    # of the two people of a town at most one is confused
    assert alone < 30 < 50 < with_town
