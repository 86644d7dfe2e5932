"""Groups in which nothing differs."""

from __future__ import annotations

import numpy as np

from microveil.data.table import Table, Values
from microveil.hybrid.groups.degenerate import constant_columns_of_groups, degenerate_among, merge_degenerate

LABELS = np.array([0, 0, 1, 1, 2, 2])
X = Values("continuous", np.array([1.0, 1.0, 2.0, 3.0, 9.0, 9.0]))
KEPT = Values("continuous", np.array([0.0, 1.0, 0.0, 1.0, 5.0, 5.0]))
TABLE = Table({"x": X}, 6)


def test_a_column_is_constant_group_by_group():
    other = Values("nominal", np.array([0, 1, 0, 0, 1, 1]), ("a", "b"))
    found = constant_columns_of_groups(Table({"x": X, "c": other}, 6), LABELS)
    assert found.tolist() == [[True, False], [False, True], [True, True]]


def test_what_the_kept_column_determines_counts_as_constant():
    assert degenerate_among(TABLE, TABLE, None)(LABELS).tolist() == [True, False, True]
    # two records with different kept values: a line goes through both
    assert degenerate_among(TABLE, TABLE, Table({"kept": KEPT}, 6))(LABELS).tolist() == [True, True, True]


def test_such_groups_join_the_nearest_that_is_not_one():
    labels, notes = merge_degenerate(LABELS, degenerate_among(TABLE, TABLE, None), TABLE.matrix)
    assert labels.tolist() == [0] * 6
    assert notes == ("2 groups in which nothing would have changed were merged with the nearest",)
    assert merge_degenerate(np.zeros(6, dtype=int), degenerate_among(TABLE, TABLE, None), TABLE.matrix)[1] == ()
