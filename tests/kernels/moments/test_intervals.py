"""What two intervals have in common, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.moments.intervals import interval_overlap


def intervals(*ends: tuple[float, float]) -> list[np.ndarray]:
    return [np.array([end]) for pair in ends for end in pair]


def test_known_overlaps():
    assert interval_overlap(*intervals((0, 2), (1, 3))) == pytest.approx([0.5])
    assert interval_overlap(*intervals((0, 2), (0, 2))) == pytest.approx([1])
    assert interval_overlap(*intervals((0, 4), (1, 2))) == pytest.approx([(1 / 4 + 1) / 2])
    assert interval_overlap(*intervals((0, 1), (2, 3))) == pytest.approx([-1])
    assert np.isnan(interval_overlap(*intervals((1, 1), (0, 2)))).all()
