"""Decimals: how many a column has, found exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.io.decimals import observed_decimals, round_to


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([1.0, 2.0, np.nan], 0),
        ([0.1, 0.25, 1e6], 2),
        ([0.285, 1.005, 2.675], 3),  # products with 1000 are not whole in binary
        ([123456.123456789], 9),
        ([1e-10], None),
        ([1 / 3], None),
        ([1e300], 0),
        ([], 0),
    ],
)
def test_observed_decimals(values: list[float], decimals: int | None) -> None:
    assert observed_decimals(np.array(values, dtype=float)) == decimals


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1), st.integers(0, 9))
def test_rounded_numbers_are_their_shortest_text(units: list[int], decimals: int) -> None:
    exact = np.array([float(f"{unit}e-{decimals}") for unit in units])
    found = observed_decimals(exact)
    assert found is not None
    assert found <= decimals
    np.testing.assert_array_equal(round_to(exact * (1 + 1e-14), decimals), exact)
