"""Prices of places in an assignment of least total cost."""

from __future__ import annotations

import numpy as np

from microveil.kernels.linkage.prices import place_prices


def test_prices_make_everybody_content() -> None:
    # both want the first place; the one who loses more by going elsewhere has it
    start, place, cost = np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.array([1.0, 5.0, 1.0, 2.0])
    price = place_prices(start, place, cost, np.array([0, 1]), np.array([1.0, 2.0]), 2)
    assert price.tolist() == [1.0, 0.0]
