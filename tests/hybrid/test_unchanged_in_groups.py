"""What came back as it was, in groups."""

from __future__ import annotations

import numpy as np

from microveil.data.table import Table, Values
from microveil.hybrid.groups import tell_unchanged_in_groups, tell_unchanged_records

LABELS = np.array([0, 0, 1, 1])
BEFORE = Table.of_matrix(np.array([[1.0, 5.0], [1.0, 5.0], [2.0, 6.0], [3.0, np.nan]]), ["x", "y"])


def after(**columns: list[float]) -> dict[str, Values]:
    return {name: Values("continuous", np.array(data)) for name, data in columns.items()}


def test_a_group_of_equal_values_gives_them_away() -> None:
    notes = tell_unchanged_in_groups(BEFORE, after(x=[1, 1, 3, 2], y=[5, 5, 6, np.nan]), LABELS)
    assert notes[0] == "2 of 4 records came back unchanged"
    assert notes[1].startswith("1 of 2 groups could not be changed (equal values, or")
    assert notes[2].startswith("all members share one value of x in 1, y in 1 of the 2 groups")
    assert notes[3] == "no value of y changed"  # a gap equals a gap


def test_categories_that_come_back_by_chance_give_no_group_away() -> None:
    codes = Values("nominal", np.array([0, 1, 0, 1]), ("a", "b"))
    notes = tell_unchanged_in_groups(Table({"c": codes}, 4), {"c": codes}, LABELS)
    assert notes == ("4 of 4 records came back unchanged", "no value of c changed")


def test_records_are_counted_where_any_came_back() -> None:
    assert tell_unchanged_records(BEFORE, after(x=[1, 0, 0, 0])) == ("1 of 4 records came back unchanged",)
    assert tell_unchanged_records(BEFORE, after(x=[0, 0, 0, 0])) == ()
    classes = {"x": Values("nominal", np.zeros(4, dtype=np.int64), ("all",))}
    assert tell_unchanged_records(BEFORE, classes) == ()
