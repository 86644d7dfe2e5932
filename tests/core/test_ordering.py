"""Orders by digits are those of a comparison sort, whatever the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.ordering import distinct, sorted_floats, stable_order

DRAW = np.random.default_rng(4)
N = 3_000
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 5e-324, -5e-324, 1.0, -1.0, 1e308, -1e308])
NUMBERS = {
    "normal": DRAW.normal(size=N),
    "tied": DRAW.integers(-5, 5, N).astype(float),
    "all equal": np.full(N, -3.5),
    "near one another far from zero": 1e9 + 1e-7 * DRAW.integers(0, 50, N),
    "equal in front": np.append(1 + 1e-15 * DRAW.integers(0, 9, N), DRAW.normal(size=N)),
    "every kind of double": DRAW.choice(SPECIAL, N),
    "any bits": DRAW.integers(0, 2**64, N, dtype=np.uint64).view(np.float64),
    "words": DRAW.integers(0, 2**64, N, dtype=np.uint64),
    "whole": DRAW.integers(-(2**62), 2**62, N),
    "small whole": DRAW.integers(-3, 3, N),
    "few": DRAW.normal(size=20),
    "one": np.array([3.0]),
    "none": np.array([]),
    "every second": DRAW.normal(size=2 * N)[::2],
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_order_is_that_of_a_stable_sort(name):
    values = NUMBERS[name]
    before = values.copy()
    order = stable_order(values)
    assert order.dtype == np.int64
    assert order.tolist() == np.argsort(values, kind="stable").tolist()
    assert values.tobytes() == before.tobytes()


@pytest.mark.parametrize("name", ["normal", "tied", "every kind of double", "few", "none"])
def test_sorted_floats_are_those_of_numpy(name):
    assert np.array_equal(sorted_floats(NUMBERS[name]), np.sort(NUMBERS[name]), equal_nan=True)


@pytest.mark.parametrize("name", ["normal", "tied", "small whole", "whole", "few", "one", "none"])
def test_different_values_are_those_of_numpy(name):
    expected = np.unique(NUMBERS[name], return_inverse=True, return_counts=True)
    assert [part.tolist() for part in distinct(NUMBERS[name])] == [part.tolist() for part in expected]
