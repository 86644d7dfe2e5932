"""Values put into a range with the mean that they had."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.moments.bounded_shift import has_mean_inside, shifted_into


@pytest.mark.parametrize(("low", "high"), [(0.0, np.inf), (-np.inf, 1.0), (-0.5, 1.5)])
def test_the_mean_stays_and_the_range_holds(low: float, high: float) -> None:
    values = np.random.default_rng(1).normal(0.4, 1.0, 500)
    values[7] = np.nan
    found = shifted_into(values, low, high)
    assert np.isnan(found[7])
    assert np.nanmean(found) == pytest.approx(np.nanmean(values), abs=1e-13)
    assert np.nanmin(found) >= low
    assert np.nanmax(found) <= high
    # one shift for all that is not cut off
    free = (found > low) & (found < high)
    assert np.ptp((values - found)[free]) < 1e-12


def test_the_order_of_values_does_not_matter_to_the_last_bit() -> None:
    draw = np.random.default_rng(2)
    values = draw.lognormal(3.0, 2.0, 1000) - 20.0
    other = draw.permutation(1000)
    np.testing.assert_array_equal(shifted_into(values, 0.0, np.inf)[other], shifted_into(values[other], 0.0, np.inf))


def test_no_mean_of_gaps_alone_lies_in_a_range() -> None:
    assert not has_mean_inside(np.array([np.nan, np.nan]), -np.inf, np.inf)
    assert has_mean_inside(np.array([np.nan, 1.0, 3.0]), 2.0, 2.0)
    assert not has_mean_inside(np.array([1.0, 3.0]), 2.1, 5.0)
