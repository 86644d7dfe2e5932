"""Rounding to the digits of the source stays inside its range."""

from __future__ import annotations

import numpy as np

from microveil.io.rounding import _within


def test_the_ends_of_the_range_are_rounded_towards_the_inside():
    source = np.array([1400.0, 3000.0, 9600.0])
    values = np.array([1400.0, 9600.0, 5200.0, 1399.0, 9601.0])
    coarser = np.array([1000.0, 10000.0, 5000.0, 1000.0, 10000.0])
    # the ends themselves move inwards; what lay outside before rounding is not this function's business
    assert _within(source, values, coarser, 3).tolist() == [2000.0, 9000.0, 5000.0, 1000.0, 10000.0]


def test_nothing_moves_where_nothing_leaves_the_range():
    source = np.array([1000.0, 9000.0])
    coarser = np.array([1000.0, 4000.0, 9000.0])
    assert _within(source, np.array([1200.0, 4100.0, 8900.0]), coarser, 3) is coarser
