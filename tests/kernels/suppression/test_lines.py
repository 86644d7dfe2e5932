"""Subsets of keys by cost, and the classes that agree outside one."""

from __future__ import annotations

import numpy as np

from microveil.kernels.suppression.lines import lines_of, subsets_by_cost, useful_subsets


def test_subsets_stand_by_cost_then_by_size():
    assert useful_subsets(np.array([3.0, 1.0])) == [(1,), (0,), (0, 1)]
    assert list(subsets_by_cost(np.array([1.0, 1.0, 2.0]))) == [
        [(0,), (1,)],
        [(2,), (0, 1)],
        [(0, 2), (1, 2)],
        [(0, 1, 2)],
    ]


def test_many_keys_have_singles_pairs_and_the_cheapest_together():
    found = useful_subsets(np.arange(1.0, 11.0))
    assert len(found) == 10 + 45 + 8
    assert (0, 1, 2, 3) in found
    assert (0, 1, 2, 4) not in found
    assert found[-1] == tuple(range(10))


def test_classes_on_one_line_agree_on_the_other_keys():
    lines = lines_of(np.array([[0, 0], [0, 1], [1, 1]]), [(0,), (1,)])
    # without the first key the last two agree, without the second the first two
    assert lines.of.tolist() == [[0, 2], [1, 2], [1, 3]]
    classes = [part.tolist() for part in np.split(lines.members, lines.start[1:-1])]
    assert classes == [[0], [1, 2], [0, 1], [2]]
