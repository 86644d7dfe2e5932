from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.tables import equal_rows
from microveil.kernels.tables.equal_rows import first_equal_rows


def plain_first(Y: np.ndarray) -> list[int]:
    seen: dict[tuple[float, ...], int] = {}
    return [seen.setdefault(tuple(row + 0.0), i) for i, row in enumerate(Y)]


@pytest.mark.parametrize("order", ["C", "F"])
def test_equals_the_plain_search(order):
    Y = np.asarray(np.random.default_rng(1).integers(-2, 3, (4000, 5)) / 3, order=order)
    assert first_equal_rows(Y).tolist() == plain_first(Y)


def test_minus_zero_is_zero():
    assert first_equal_rows(np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -1.0]])).tolist() == [0, 0, 2]


def test_rows_that_share_a_number_by_accident_are_told_apart(monkeypatch):
    monkeypatch.setattr(equal_rows, "_row_numbers", lambda Y: np.zeros(len(Y), dtype=np.uint64))
    Y = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    assert first_equal_rows(Y).tolist() == [0, 1, 0]


def test_blocks_and_columns_in_another_order_are_different_rows():
    Y = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert first_equal_rows(Y).tolist() == [0, 1]
