"""Units: the power of ten that a column's values are multiples of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.data.units import observed_unit, round_to

THOUSANDS = [1000.0 * i for i in range(1, 41)]


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([1.0, 2.0, np.nan], 0),
        ([0.1, 0.25, 1e6], -2),
        ([0.285, 1.005, 2.675], -3),  # products with 1000 are not whole in binary
        ([123456.123456789], -9),
        ([1e-10], None),
        ([1 / 3], None),
        ([1e300], 0),
        ([], 0),
        ([0.0, np.nan], 0),
        (THOUSANDS, 3),
        ([value * 1e6 for value in THOUSANDS], 9),
        ([*THOUSANDS, 1 / 3, 17.25], 3),  # two of 42 are exceptions
        ([*THOUSANDS, 1 / 3, 17.25, 3.5], -1),  # three are not, 3.5 counts
        ([*THOUSANDS, *[0.0] * 500, *[5.0] * 3], 0),  # zeros are multiples of anything and say nothing
        (THOUSANDS[:19], 0),  # too few to conclude from
        ([100.0] * 99 + [7.0], 0),  # one frequent value is no unit
        ([-value for value in THOUSANDS], 3),
        ([i / 100 for i in range(1, 100)] + [1 / 3], -2),
    ],
)
def test_observed_unit(values: list[float], unit: int | None) -> None:
    assert observed_unit(np.array(values, dtype=float)) == unit


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1), st.integers(-9, 9))
def test_rounded_numbers_are_their_shortest_text(counts: list[int], unit: int) -> None:
    exact = np.array([float(f"{count}e{min(unit, 4)}") for count in counts])
    found = observed_unit(exact)
    assert found is not None
    np.testing.assert_array_equal(round_to(exact * (1 + 1e-14), min(unit, 4)), exact)


@given(st.lists(st.floats(-1e12, 1e12), min_size=1), st.integers(-9, 8))
def test_multiples_of_a_unit_are_multiples_of_finer_ones(values: list[float], unit: int) -> None:
    coarse = round_to(np.array(values), unit + 1)
    np.testing.assert_array_equal(round_to(coarse, unit), coarse)
