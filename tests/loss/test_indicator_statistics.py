"""Weighted statistics: a weight counts as so many records."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.loss.indicator_statistics import STATISTICS

W, X, Y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 1.0, 10.0]), np.array([2.0, 5.0, 1.0])
EACH, EACH_Y = np.repeat(X, [1, 2, 3]), np.repeat(Y, [1, 2, 3])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mean", EACH.mean()),
        ("total", EACH.sum()),
        ("variance", EACH.var()),
        ("sd", EACH.std()),
        ("median", 4.0),  # of 1 1 4 10 10 10 the lower one
        ("gini", np.abs(np.subtract.outer(EACH, EACH)).mean() / (2 * EACH.mean())),
    ],
)
def test_weights_repeat_records(name: str, expected: float):
    assert STATISTICS[name][1](W, X) == pytest.approx(expected)


def test_statistics_of_two_columns_and_of_none():
    assert STATISTICS["correlation"][1](W, X, Y) == pytest.approx(np.corrcoef(EACH, EACH_Y)[0, 1])
    assert STATISTICS["share"][1](W, np.array([True, False, True])) == pytest.approx(4 / 6)
    assert STATISTICS["count"][1](W) == 6
    assert np.isnan(STATISTICS["gini"][1](W, np.zeros(3)))
