"""Ranks among sorted values are those of a binary search."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microveil.kernels.ranks.places import rank_intervals

with_ties = arrays(np.float64, st.integers(0, 30), elements=st.integers(-4, 4).map(float))


@given(with_ties, with_ties)
def test_intervals_are_those_of_a_binary_search(values, asked):
    ordered = np.sort(values)
    first, last = rank_intervals(ordered, np.sort(asked), np.argsort(asked, kind="stable"))
    assert first.tolist() == np.searchsorted(ordered, asked, "left").tolist()
    assert last.tolist() == (np.searchsorted(ordered, asked, "right") - 1).tolist()
