"""Groups of records: what differs inside them, and how many people they hold."""

from __future__ import annotations

import numpy as np

from microveil.data.table import Values
from microveil.run.groups import classes_of, differs_in_groups, holds_each_once, people_in, split

GROUPS = np.array([0, 0, 1, 1])


def test_a_column_differs_in_groups_where_one_holds_two_values() -> None:
    for cells, differs in (([1.0, 1, 2, 2], False), ([1.0, 1, 1, 1], False), ([1.0, 1, 2, 3], True)):
        assert differs_in_groups(Values("continuous", np.array(cells)), GROUPS) is differs
    assert differs_in_groups(Values("continuous", np.array([1.0, np.nan, 2, 2])), GROUPS)


def test_classes_are_numbered_from_zero() -> None:
    assert split(GROUPS, np.array([7.0, 5, 5, 5])).tolist() == [1, 0, 2, 2]
    # many labels beside few values: no two pairs share a number
    assert len(np.unique(split(np.array([0, 2, 1]), np.array([1, 0, 0])))) == 3
    assert classes_of(GROUPS, []).tolist() == [0, 0, 1, 1]
    assert classes_of(GROUPS, [np.array([1, 1, 1, 2]), np.array([3, 4, 3, 3])]).tolist() == [0, 1, 2, 3]


def test_a_record_that_was_released_twice_is_one_person() -> None:
    assert people_in(GROUPS, np.array([4, 5, 6, 7])).tolist() == [2, 2]
    assert people_in(np.array([0, 0, 0, 1, 1]), np.array([4, 4, 6, 7, 8])).tolist() == [2, 2]


def test_each_record_once() -> None:
    for origin, once in (([], True), ([0, 1, 2], True), ([2, 0, 9], True), ([-1, 0], True)):
        assert holds_each_once(np.array(origin, dtype=np.int64)) is once
    for origin in ([0, 1, 1], [3, 3], [-1, 0, -1]):
        assert not holds_each_once(np.array(origin))
