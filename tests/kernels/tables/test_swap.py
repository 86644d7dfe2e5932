"""Exchanges that leave tables as they are."""

from __future__ import annotations

import numpy as np

from microveil.kernels.tables.swap import swap_keeping_tables


def counts(a: np.ndarray, b: np.ndarray) -> list[list[int]]:
    out = np.zeros((2, 3), dtype=int)
    np.add.at(out, (a, b), 1)
    return out.tolist()


def test_tables_with_every_other_column_stay_and_records_move():
    rng = np.random.default_rng(0)
    a, others = rng.integers(0, 2, 200), rng.integers(0, 3, (200, 2))
    sizes, draws = np.array([3, 3]), rng.random((5000, 4))
    new = swap_keeping_tables(a, others, sizes, draws, 60, 0)
    assert [counts(new, column) for column in others.T] == [counts(a, column) for column in others.T]
    assert 60 <= (new != a).sum() <= 63  # an exchange moves up to four at once


def test_two_records_that_differ_in_the_other_column_cannot_change_places():
    a, others, sizes = np.array([0, 1]), np.array([[0], [1]]), np.array([2])
    draws = np.tile([0.0, 0.9, 0.0, 0.0], (10, 1))
    assert swap_keeping_tables(a, others, sizes, draws, 2, 0).tolist() == [0, 1]
    assert swap_keeping_tables(a, others, sizes, draws[:1], 2, 4).tolist() == [1, 0]
