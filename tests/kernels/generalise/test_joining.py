"""Keys of rows and their numbers."""

import numpy as np
import pytest

from microveil.kernels.generalise.joining import number_keys, row_keys


@pytest.mark.parametrize("space", [0, 50, 10**6])
def test_equal_keys_have_one_number_in_the_order_in_which_they_come(space):
    keys = np.random.default_rng(1).integers(0, 50, 400)
    labels, first = number_keys(keys, space)
    assert (keys[first][labels] == keys).all()
    assert len(first) == len(np.unique(keys))
    assert first.tolist() == sorted(first.tolist())
    assert labels[first].tolist() == list(range(len(first)))


def test_keys_that_share_a_place_in_the_table_are_told_apart():
    keys = np.array([5, 5 + 2**61, 2**61, 5, 2**61, 7 * 2**40])
    assert number_keys(keys, 0)[0].tolist() == [0, 1, 2, 0, 2, 3]


def test_the_key_of_a_row_is_the_sum_of_its_tables():
    codes = np.array([[0, 1, 2], [1, 1, 0], [2, 0, 1]], dtype=np.int16)
    tables = np.array([[0, 0, 1], [0, 2, 4]])
    assert row_keys(codes, np.array([0, 2, 1]), np.array([0, 2]), tables).tolist() == [4, 3, 0]


def test_no_row_has_no_key():
    labels, first = number_keys(np.empty(0, dtype=np.int64), 0)
    assert len(labels) == len(first) == 0
