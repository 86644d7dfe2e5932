"""Values put into a range with the mean that they had."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from microveil.kernels.moments.into_range import has_mean_inside, scale_into, shift_into

Put = Callable[[NDArray[np.float64], float, float], NDArray[np.float64]]

RANGES = pytest.mark.parametrize(("low", "high"), [(0.0, np.inf), (-np.inf, 1.0), (-0.5, 1.5)])
WAYS = pytest.mark.parametrize("put", [scale_into, shift_into])


def drawn() -> NDArray[np.float64]:
    values = np.random.default_rng(1).normal(0.4, 1.0, 500)
    values[7] = np.nan
    return values


@RANGES
@WAYS
def test_the_mean_stays_and_the_range_holds(put: Put, low: float, high: float) -> None:
    values = drawn()
    found = put(values, low, high)
    assert np.isnan(found[7])
    assert np.nanmean(found) == pytest.approx(np.nanmean(values), abs=1e-13)
    assert np.nanmin(found) >= low
    assert np.nanmax(found) <= high


@RANGES
def test_a_shift_is_the_same_for_all_that_are_not_cut_off(low: float, high: float) -> None:
    values = drawn()
    found = shift_into(values, low, high)
    free = (found > low) & (found < high)
    assert np.ptp((values - found)[free]) < 1e-12


@RANGES
def test_in_proportion_none_but_those_outside_reach_an_end(low: float, high: float) -> None:
    values = drawn()
    found = scale_into(values, low, high)
    # those that were inside keep their order and their ratios of distances, and reach no end
    free = (values > low) & (values < high)
    assert ((found > low) & (found < high) & free == free).all()
    line = np.polyfit(values[free], found[free], 1)
    np.testing.assert_allclose(np.polyval(line, values[free]), found[free], atol=1e-12)
    assert 0 < line[0] < 1


@WAYS
def test_the_order_of_values_does_not_matter_to_the_last_bit(put: Put) -> None:
    draw = np.random.default_rng(2)
    values = draw.lognormal(3.0, 2.0, 1000) - 20.0
    for _ in range(5):
        other = draw.permutation(1000)
        np.testing.assert_array_equal(put(values, 0.0, np.inf)[other], put(values[other], 0.0, np.inf))


@WAYS
def test_values_whose_mean_lies_outside_are_cut_off_only(put: Put) -> None:
    np.testing.assert_array_equal(put(np.array([-3.0, np.nan, 1.0]), 0.0, 5.0), [0.0, np.nan, 1.0])


def test_no_mean_of_gaps_alone_lies_in_a_range() -> None:
    assert not has_mean_inside(np.array([np.nan, np.nan]), -np.inf, np.inf)
    assert has_mean_inside(np.array([np.nan, 1.0, 3.0]), 2.0, 2.0)
    assert not has_mean_inside(np.array([1.0, 3.0]), 2.1, 5.0)
