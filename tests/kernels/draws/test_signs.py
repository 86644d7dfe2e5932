"""Signs that keep a running sum near zero."""

from __future__ import annotations

import numpy as np

from microveil.kernels.draws.signs import balancing_signs


def test_down_from_zero_or_above_and_up_from_below():
    assert balancing_signs(np.array([3.0, 1.0, 1.0, 2.0, 5.0])).tolist() == [-1, 1, 1, 1, -1]


def test_the_sum_never_leaves_the_largest_step():
    steps = np.random.default_rng(0).random(1000)
    running = np.cumsum(steps * balancing_signs(steps))
    assert np.abs(running).max() <= steps.max()
