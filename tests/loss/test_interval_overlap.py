from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from microveil.kernels.moments.intervals import interval_overlap
from microveil.loss import IntervalOverlap
from tests.loss.files import frame_of
from tests.reference import mdav, original, thyroid


def test_agrees_with_another_tool_for_intervals_of_equal_width():
    figures = thyroid()[2]["compare_lm_fti"]
    b, se = np.array(figures["coef_obs"])[:, :2].T
    combined = np.array(figures["coef_diff"])[:, 0]
    half = norm.ppf(0.975) * se
    found = interval_overlap(b - half, b + half, combined - half, combined + half)
    assert found == pytest.approx([row["CI overlap"] for row in figures["ci_overlap"]], rel=1e-8)


@pytest.mark.parametrize("name", ["census", "eia"])
def test_identity_and_masked_reference_files(name: str):
    x, y = mdav(name)
    same = IntervalOverlap()(x, x)
    assert same.value == pytest.approx(1)
    assert same.parts["disjoint"] == 0
    found = IntervalOverlap()(x, y)
    assert found.parts["means"] > 0.95  # microaggregation keeps means and narrows their intervals
    assert found.value < found.parts["means"] <= 1


def test_clipping_bounds_it_at_zero():
    x = original("eia")
    far = x + 10 * x.std()
    assert IntervalOverlap()(x, far).parts["means"] < -10
    clipped = IntervalOverlap(clip=True)(x, far)
    assert clipped.parts["means"] == 0
    assert clipped.bounds == (0, 1)
    assert clipped.better == "higher"


def test_one_column_has_an_interval_of_its_mean():
    x = frame_of(np.random.default_rng(1).standard_normal((100, 1)))
    shift = 1.984217 * float(x["x0"].std()) / 10  # half a width at 95 %
    assert IntervalOverlap()(x, x + shift).value == pytest.approx(0.5, abs=1e-6)
    assert "no interval with a width" in IntervalOverlap()(0 * x, 0 * x).reason
