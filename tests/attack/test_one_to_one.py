"""One-to-one matching, by hand."""

from __future__ import annotations

import numpy as np

from microveil.attack.one_to_one import can_match, match_one_to_one


def test_the_least_total_counts_and_not_the_nearest():
    # both are nearest to the first; 1 + 2 is less than 0 + 5
    assert match_one_to_one(np.array([[1.0, 5.0], [0.0, 2.0]])).tolist() == [0, 1]


def test_whoever_finds_none_has_none():
    assert match_one_to_one(np.array([[1.0], [0.0], [2.0]])).tolist() == [-1, 0, -1]
    assert match_one_to_one(np.array([[9.0, 9.0], [0.0, 1.0]]), never=9.0).tolist() == [-1, 0]
    assert match_one_to_one(np.empty((2, 0))).tolist() == [-1, -1]


def test_three_thousand_records_of_either_file_are_few_enough():
    assert can_match(3_000 * 3_000)
    assert not can_match(3_000 * 3_000 + 1)
