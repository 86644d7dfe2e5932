"""Reconstruction of hybrid values: the closed form of its gain, figures on Census, and what it cannot do."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import HybridReconstruction
from microveil.core.measured import NotApplicable
from microveil.hybrid import MuralidharSarathy
from microveil.mask import UncorrelatedNoise

BEFORE, AFTER = "RMSE released", "RMSE reconstructed"


def amounts_by_age(rows: int = 300, seed: int = 1) -> pa.Table:
    draw = np.random.default_rng(seed)
    age = draw.integers(20, 60, rows).astype(float)
    noise = draw.normal(size=(rows, 3)) @ np.array([[1, 0.7, 0.2], [0, 0.7, 0.5], [0, 0, 0.8]])
    return pa.table({"age": age, **{f"x{j}": 0.05 * age + noise[:, j] for j in range(3)}})


TARGETS = ["x0", "x1", "x2"]


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("given", [[], ["age"]])
def test_the_gain_in_closed_form(alpha, given):
    """Squared errors are 2 (1 - alpha) residual variances before and 1 - alpha^2 after: covariances are exact."""
    data = amounts_by_age()
    release = MuralidharSarathy(alpha=alpha).apply(data, columns=TARGETS, given=given, seed=1)
    parts = HybridReconstruction(known=TARGETS)(data, release).parts
    assert parts[AFTER] / parts[BEFORE] == pytest.approx(np.sqrt((1 + alpha) / 2), rel=1e-6)
    if not given:
        assert parts[AFTER] == pytest.approx(np.sqrt(1 - alpha**2), rel=1e-6)


def test_similarities_by_column():
    """A column that is hardly similar is reconstructed from the others, better than from itself alone."""
    data = amounts_by_age()
    release = MuralidharSarathy(alpha=(0.9, 0.9, 0.3)).apply(data, columns=TARGETS, given=[], seed=1)
    parts = HybridReconstruction(known=TARGETS)(data, release).parts
    assert parts[AFTER] < parts[BEFORE]
    little = HybridReconstruction(known=["x2"])(data, release).parts[AFTER]
    assert 1.5 * HybridReconstruction(known=["x0"])(data, release).parts[AFTER] < little < np.sqrt(1 - 0.3**2)


def test_figures_on_census(census):
    """For alpha .5 about .17 of the cells lie within 10 % before and .20 after, and errors shrink by .87."""
    names = census.column_names
    release = MuralidharSarathy(alpha=0.5).apply(census, columns=names[:9], given=names[9:], seed=1)
    parts = HybridReconstruction(known=names[:9])(census, release).parts
    assert parts["within 10 % released"] == pytest.approx(0.168, abs=0.02)
    assert parts["within 10 % reconstructed"] == pytest.approx(0.192, abs=0.03)
    assert parts[AFTER] / parts[BEFORE] == pytest.approx(0.87, abs=0.005)


@pytest.mark.long
def test_a_similar_hybrid_is_found_and_one_of_others_is_not(census):
    names = census.column_names
    near = MuralidharSarathy(alpha=0.95).apply(census, columns=names, given=[], seed=1)
    found = HybridReconstruction()(census, near)
    assert found.value > 85
    assert found.parts["nearest"] > mv.risk.DistanceLinkage()(census, near).value + 20
    assert found.parts["precision"] > 0.93
    none = MuralidharSarathy(alpha=0.0).apply(census, columns=names, given=[], seed=1)
    assert HybridReconstruction()(census, none).value < 1
    data = amounts_by_age()
    assert HybridReconstruction(alpha=0.9)(data, amounts_by_age(seed=5)).value < 2


def test_gaps_subdomains_and_given_columns():
    data = amounts_by_age().append_column("place", pa.array(["a", "b"] * 150))
    release = MuralidharSarathy(alpha=0.9).apply(data, columns=TARGETS, given=["age"], by="place", seed=1)
    by_place = HybridReconstruction()(data, release)
    assert by_place.parts[AFTER] / by_place.parts[BEFORE] == pytest.approx(np.sqrt(0.95), rel=1e-6)
    fewer = HybridReconstruction(known=["x0", "place"])(data, release)
    assert fewer.value < by_place.value
    unknown = pa.array([None if i % 4 == 0 else value for i, value in enumerate(data["x0"].to_pylist())])
    gaps = data.set_column(data.column_names.index("x0"), "x0", unknown)
    found = HybridReconstruction(alpha=0.9, known=TARGETS)(gaps, release.frame)
    assert 5 < found.value < by_place.value


def test_what_does_not_follow():
    data = amounts_by_age()
    hybrid, noise = MuralidharSarathy(alpha=0.5), UncorrelatedNoise(p=0.2)
    later = mv.Plan([(hybrid, TARGETS), (noise, ["x2"])]).run(data, seed=1)
    assert "another step changed x2, with which" in HybridReconstruction()(data, later).reason
    plain = HybridReconstruction()(data, data)
    assert isinstance(plain, NotApplicable)
    assert "HybridReconstruction(alpha=0.8)" in plain.reason
    text = pa.table({"k": ["a", "b"] * 10})
    assert "the intruder knows categories" in HybridReconstruction(alpha=0.5)(text, text).reason
