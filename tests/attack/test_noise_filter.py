"""Filtering of noise: figures of the literature on Census, closed forms on normal data, and what it cannot do."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import NoiseFilter
from microveil.core.errors import NothingHidden
from microveil.core.measured import NotApplicable
from microveil.mask import CorrelatedNoise, ExactNoise, KimNoise, UncorrelatedNoise
from microveil.measure.sampling import with_some_searched
from tests.attack.files import as_table

CLEAN, ROUGH = "filtered, nearest", "components, nearest"


def factors(rows: int, width: int, seed: int = 1) -> np.ndarray:
    """Columns that follow one common factor with correlation 0.8, variances 1."""
    draw = np.random.default_rng(seed)
    return np.sqrt(0.8) * draw.normal(size=(rows, 1)) + np.sqrt(0.2) * draw.normal(size=(rows, width))


def test_uncorrelated_noise_on_census(census):
    release = UncorrelatedNoise(p=0.3).apply(census, columns=census.column_names, seed=1)
    parts = NoiseFilter()(census, release).parts
    # components with more signal than noise: the figures known for this attack
    assert parts["RMSE released"] == pytest.approx(0.300, abs=0.003)
    assert parts["RMSE components"] == pytest.approx(0.252, abs=0.005)
    assert parts[ROUGH] == pytest.approx(58.1, abs=2)
    # expected values keep a share of every component and do better
    assert parts["RMSE filtered"] == pytest.approx(0.23, abs=0.005)
    assert parts[CLEAN] == pytest.approx(64, abs=3)
    assert parts["filtered, one-to-one"] > 75


@pytest.mark.long
@pytest.mark.parametrize(
    "method",
    [CorrelatedNoise(p=0.3), *(pytest.param(one(p=0.3), marks=pytest.mark.full) for one in (KimNoise, ExactNoise))],
)
def test_correlated_noise_on_census(census, method):
    """What is left unknown has the covariance of the noise: the distance is Mahalanobis's, whose figure is 78.7 %."""
    found = NoiseFilter()(census, method.apply(census, columns=census.column_names, seed=1))
    assert found.parts[CLEAN] == pytest.approx(78.7, abs=2)
    assert found.parts["precision"] > 0.95
    assert found.parts["certain"] > 15
    # noise of the shape of the data cannot be told from them, only shrunk: 1 / sqrt(1 + p^2) of the error is left
    assert found.parts["RMSE filtered"] == pytest.approx(0.3 / np.sqrt(1.09), abs=0.006)


def test_error_that_is_left_in_closed_form():
    """Of a component of signal variance s and noise variance e, s e / (s + e) is left."""
    X = factors(20_000, 5)
    release = UncorrelatedNoise(p=1.0).apply(as_table(X), columns=[f"x{j}" for j in range(5)], seed=2)
    parts = NoiseFilter().of_pair(with_some_searched(mv.measure.Pair.of(as_table(X), release), 1000)).parts
    signal = np.array([1 + 4 * 0.8, 0.2, 0.2, 0.2, 0.2])
    assert parts["RMSE filtered"] == pytest.approx(np.sqrt(np.mean(signal / (signal + 1))), abs=0.02)
    assert parts["RMSE components"] == pytest.approx(np.sqrt(np.mean([1, 0.2, 0.2, 0.2, 0.2])), abs=0.02)
    assert parts["RMSE released"] == pytest.approx(1.0, abs=0.02)


def test_a_release_of_others_is_found_by_chance():
    X = factors(400, 6)
    other = factors(400, 6, seed=7)
    found = NoiseFilter(p=0.3)(as_table(X), as_table(other))
    assert found.value < 2
    assert found.parts["baseline"] == pytest.approx(0.25)
    assert NoiseFilter(p=0.1)(as_table(X), as_table(X + 0.1 * factors(400, 6, seed=8))).value > 90


def test_records_without_some_values_are_sought_by_the_others():
    X = factors(300, 6)
    whole = as_table(X)
    holes = np.zeros(X.shape, dtype=bool)
    holes[::4, 0] = holes[1::5, 3] = True
    gaps = pa.table({f"x{j}": pa.array(X[:, j], mask=holes[:, j]) for j in range(6)})
    release = UncorrelatedNoise(p=0.2).apply(gaps, columns=gaps.column_names, seed=1, missing="mask")
    found = NoiseFilter()(gaps, release)
    assert found.value > 50
    complete = NoiseFilter()(whole, UncorrelatedNoise(p=0.2).apply(whole, columns=whole.column_names, seed=1))
    assert found.value < complete.value + 5


def test_subdomains_have_noise_of_their_own_size():
    X = factors(600, 4)
    place = np.repeat(["near", "far"], 300)
    X[300:] *= 1000  # the noise of one covariance for all would drown the first half
    data = as_table(X).append_column("place", pa.array(place))
    release = UncorrelatedNoise(p=0.2).apply(data, columns=["x0", "x1", "x2", "x3"], by="place", seed=1)
    chances = NoiseFilter().records(data, release)
    assert chances[:300].mean() == pytest.approx(chances[300:].mean(), abs=0.15)
    assert chances.mean() > 0.3


def test_what_does_not_follow():
    data = as_table(factors(60, 2))
    noise = UncorrelatedNoise(p=0.2)
    twice = mv.Plan([(noise, ["x0"]), (noise, ["x0"])]).run(data, seed=1)
    assert "another step changed the columns" in NoiseFilter()(data, twice).reason
    with pytest.warns(NothingHidden):
        still = UncorrelatedNoise(p=0).apply(data, columns=["x0"], seed=1)
    assert "p is 0" in NoiseFilter()(data, still).reason
    plain = NoiseFilter()(data, data)
    assert isinstance(plain, NotApplicable)
    assert "NoiseFilter(p=0.3)" in plain.reason
