"""Cells blanked until every record agrees with k, a blank agreeing with all."""

from __future__ import annotations

import numpy as np

from microveil.kernels.suppression.wildcard import suppress_wildcard


def agreeing(codes: np.ndarray) -> list[int]:
    """With how many records each one agrees, pair by pair."""
    return [sum(all(a == b or a < 0 or b < 0 for a, b in zip(x, y, strict=True)) for y in codes) for x in codes]


def test_a_blank_agrees_with_a_neighbour_that_keeps_its_value():
    codes = np.array([[0, 0], [0, 0], [0, 1]])
    cells = suppress_wildcard(codes, 2, np.ones(2)).cells
    # where a blank is a value of its own two records would have to lose theirs
    assert cells.tolist() == [[False, False], [False, False], [False, True]]


def test_nothing_goes_where_all_are_safe_and_all_are_safe_in_the_end():
    assert not suppress_wildcard(np.array([[0, 1], [0, 1], [2, 2], [2, 2]]), 2, np.ones(2)).cells.any()
    codes = np.random.default_rng(1).integers(0, 4, (60, 3))
    cells = suppress_wildcard(codes, 3, np.array([1.0, 2.0, 3.0])).cells
    assert min(agreeing(np.where(cells, -1, codes))) >= 3
    assert cells.any()
