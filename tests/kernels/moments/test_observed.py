"""Moments of columns with gaps, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.moments.observed import Moments

GAP = np.nan


def test_each_column_by_its_own_cells_and_covariances_by_complete_rows():
    found = Moments([np.array([1.0, 2.0, 3.0, GAP]), np.array([2.0, GAP, 6.0, 10.0])])
    assert found.means.tolist() == [2, 6]
    assert found.variances == pytest.approx([2 / 3, 32 / 3])
    assert found.counts.tolist() == [3, 3]
    assert found.complete_rows == 2
    assert found.covariances == pytest.approx(np.array([[1, 2], [2, 4]]))  # of (1, 2) and (3, 6)
    assert (found.lowest.tolist(), found.highest.tolist()) == ([1, 2], [3, 10])


def test_a_column_without_values_has_none():
    found = Moments([np.array([GAP, GAP])])
    assert np.isnan(found.means).all()
    assert np.isnan(found.covariances).all()
    assert found.largest.tolist() == [0]
    assert (found.lowest[0], found.highest[0]) == (np.inf, -np.inf)


def test_a_large_shift_costs_no_digits():
    x = np.arange(1000.0)
    assert Moments([x + 1e9]).variances == pytest.approx([(1000**2 - 1) / 12], rel=1e-12)
