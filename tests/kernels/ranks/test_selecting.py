"""The value of a rank is that of the sorted values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microveil.kernels.ranks.selecting import select_in_place


@given(arrays(np.float64, st.integers(1, 40), elements=st.integers(-3, 3).map(float)), st.integers(0, 39))
def test_selected_is_that_of_a_sort(values, rank):
    rank %= len(values)
    assert select_in_place(values.copy(), rank) == np.sort(values)[rank]


@pytest.mark.parametrize("shape", ["rising", "falling", "organ pipe", "equal", "normal"])
def test_selected_of_many_in_any_pattern(shape):
    n = 5_000
    up = np.arange(n, dtype=float)
    shapes = {
        "rising": up,
        "falling": -up,
        "organ pipe": np.minimum(up, n - up),
        "equal": np.zeros(n),
        "normal": np.random.default_rng(1).normal(size=n),
    }
    for rank in (0, 17, n // 2, n - 1):
        assert select_in_place(shapes[shape].copy(), rank) == np.sort(shapes[shape])[rank]
