"""Correlations beside constant columns."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.loss.correlations import correlation_of, pairs_of


def test_a_constant_column_correlates_with_nothing():
    covariance = np.array([[4.0, 3.0, 0.0], [3.0, 9.0, 0.0], [0.0, 0.0, 0.0]])
    assert correlation_of(covariance) == pytest.approx(np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 0]]))


def test_rounding_never_leads_beyond_one():
    assert correlation_of(np.array([[1.0, 1.0 + 1e-12], [1.0 + 1e-12, 1.0]])).max() == 1


def test_pairs_of_usable_columns():
    rows, columns = pairs_of(np.array([True, False, True, True]))
    assert list(zip(rows, columns, strict=True)) == [(0, 2), (0, 3), (2, 3)]
