"""Rows with gaps: which gaps were there before, and what groups prove quickly."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.claims.examples import GAP, evidence_of
from microveil.claims.gaps import _alike_in_groups, _codes, _own_rows


def test_a_row_without_an_original_had_no_gap() -> None:
    evidence = evidence_of([[1, 2, GAP]], [[3, 4, 5]], origin=[1, -1, 2])
    assert np.isnan(_own_rows(evidence)).tolist() == [[False], [False], [True]]


def test_gaps_that_were_there_before_have_no_value() -> None:
    rows = np.array([[1.0, 5.0], [GAP, GAP], [0.0, 5.0]])
    was_gap = np.array([[False, True], [True, False], [False, False]])
    assert _codes(rows, was_gap).tolist() == [[1, 0], [-1, 1], [0, 0]]


@pytest.mark.parametrize(
    ("codes", "groups", "k", "alike"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1], 2, True),
        ([0, -1, 1, 1], [0, 0, 1, 1], 2, True),
        ([-1, -1, 1, 1], [0, 0, 1, 1], 2, True),
        ([0, 1, 1, 1], [0, 0, 1, 1], 2, False),
        ([0, 0, 1, 0], [0, 0, 1, 1], 2, False),
        ([0, 0, 1, 1], [0, 0, 1, 1], 3, False),
        ([0, 0, 0, 0], [0, 0, 0, 1], 2, False),  # one group is too small
        ([0, 0, 0, 0], [-1, -1, 0, 0], 2, False),  # some are in no group
        ([0, 0, 0, 0], [0, 0, 0, 0], 4, True),
    ],
)
def test_groups_of_k_records_with_one_value_are_a_proof(
    codes: list[int], groups: list[int], k: int, alike: bool
) -> None:
    constant = np.zeros(len(codes), dtype=np.int64)
    for columns in ([codes], [codes, constant], [constant, codes]):
        assert _alike_in_groups(np.column_stack(columns), np.array(groups), k) is alike
