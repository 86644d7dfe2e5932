"""Rounding that keeps sums."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.moments.rounding import round_keeping_sums
from tests.streams import streams_of


@pytest.mark.parametrize("unit", [0.01, 1.0, 10.0])
def test_sums_that_are_whole_stay_in_every_group_and_no_value_moves_by_a_unit(unit):
    labels = np.repeat(np.arange(50), 7)
    whole = unit * np.floor(100 * streams_of(1).uniforms(0, 350)[:, 0])
    moved = streams_of(2).normals(0, 350)[:, 0]
    moved -= np.bincount(labels, weights=moved)[labels] / 7
    x = whole + unit * moved
    rounded = round_keeping_sums(x, unit, labels)
    np.testing.assert_allclose(rounded / unit, np.rint(rounded / unit), atol=1e-9)
    assert (np.abs(rounded - x) < unit * (1 + 1e-9)).all()
    np.testing.assert_allclose(
        np.bincount(labels, weights=rounded), np.bincount(labels, weights=whole), atol=1e-9 * unit
    )


def test_plain_rounding_would_not_keep_the_sum():
    x = np.array([0.4, 0.4, 0.4, 0.8])
    labels = np.zeros(4, dtype=np.int64)
    assert np.rint(x).sum() == 1
    assert round_keeping_sums(x, 1.0, labels).sum() == 2


def test_whole_values_and_gaps_stay_and_nothing_falls_below_zero():
    x = np.array([3.0, np.nan, 0.0, 0.2, 0.3, 5.0 - 1e-12])
    labels = np.array([0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(round_keeping_sums(x, 1.0, labels), [3.0, np.nan, 0.0, 0.0, 0.0, 5.0])
