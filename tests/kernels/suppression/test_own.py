"""Cells blanked until every row occurs k times: small tables whose cheapest answer is plain."""

from __future__ import annotations

import numpy as np

from microveil.kernels.suppression.own import suppress_own


def test_the_one_rare_value_costs_one_cell_and_a_partner():
    # two alike, and two that differ in the second key only: both lose it
    codes = np.array([[0, 0], [0, 0], [1, 0], [1, 1]])
    assert suppress_own(codes, 2, np.ones(2)).cells.tolist() == [[False] * 2, [False] * 2, [False, True], [False, True]]


def test_the_cheaper_key_goes():
    codes = np.array([[0, 1], [1, 0], [0, 0], [1, 1]])
    assert suppress_own(codes, 2, np.array([1.0, 5.0])).cells.tolist() == [[True, False]] * 4
    assert suppress_own(codes, 2, np.array([5.0, 1.0])).cells.tolist() == [[False, True]] * 4


def test_a_frequent_class_lends_a_record_to_a_lonely_one():
    # the record alone cannot meet another rare one; one of the four alike is blanked with it
    codes = np.array([[0, 0], [0, 0], [0, 0], [0, 0], [0, 1]])
    cells = suppress_own(codes, 2, np.ones(2)).cells
    assert cells[:, 0].sum() == 0
    assert cells[:4, 1].sum() == 1
    assert cells[4].tolist() == [False, True]
