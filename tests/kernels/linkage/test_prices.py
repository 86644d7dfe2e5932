"""What records would rather have at given prices."""

from __future__ import annotations

import numpy as np

from microveil.kernels.linkage.cells import numbers
from microveil.kernels.linkage.partners import plant
from microveil.kernels.linkage.prices import better_points


def test_all_points_that_are_cheaper_with_their_prices_by_hand() -> None:
    tree = plant(numbers(np.array([[0.0], [1.0], [5.0]])), np.ones(3, dtype=np.int64))
    price, queries = np.array([2.0, 0.5, 0.0]), numbers(np.array([[0.0], [4.0]]))
    near, apart = better_points(tree, price, queries, np.array([2.5, 4.0]), 3, np.zeros((1, 2)), False)
    assert near.tolist() == [[1, 0, -1], [2, 1, -1]]
    assert apart.tolist() == [[1.0, 0.0, np.inf], [1.0, 3.0, np.inf]]
