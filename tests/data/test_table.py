"""Columns as arrays, on tables that one can read."""

from __future__ import annotations

import numpy as np

from microveil.data.table import Table, Values, are_all_in_order

NUMBERS = Values("continuous", np.array([1.5, np.nan, 3.0]))
CODES = Values("ordinal", np.array([1, -1, 0]), ("low", "high"))
BOTH = Table({"x": NUMBERS, "c": CODES}, 3)


def test_missing_cells_of_both_kinds() -> None:
    assert NUMBERS.missing.tolist() == CODES.missing.tolist() == [False, True, False]
    np.testing.assert_array_equal(CODES.numbers, [1.0, np.nan, 0.0])
    assert BOTH.incomplete.tolist() == [False, True, False]


def test_rows_of_an_origin_and_none_where_it_has_none() -> None:
    np.testing.assert_array_equal(NUMBERS.at(np.array([2, -1, 0])).data, [3.0, np.nan, 1.5])
    assert CODES.at(np.array([2, -1, 0])).data.tolist() == [0, -1, 1]
    assert CODES.at(np.array([0, 1, 2])) is CODES


def test_all_rows_in_order() -> None:
    assert are_all_in_order(np.array([0, 1, 2]), 3)
    for rows in ([0, 2, 1], [0, 1], [0, 1, 2, 3], [0, 0, 2]):
        assert not are_all_in_order(np.array(rows), 3)
    assert not are_all_in_order(np.array([True, True, True]), 3)


def test_some_rows_and_columns() -> None:
    assert BOTH.take(np.array([True, False, True])).rows == 2
    assert BOTH.take(np.array([2, 0]))["c"].data.tolist() == [0, 1]
    assert BOTH.only(["c"]).names == ("c",)
    np.testing.assert_array_equal(BOTH.matrix(["c", "x"]), [[1.0, 1.5], [np.nan, np.nan], [0.0, 3.0]])


def test_numbers_as_codes_go_by_distinct_value() -> None:
    table = Table.of_matrix(np.array([[5.0], [2.0], [5.0], [np.nan]]))
    assert table.names == ("x1",)
    codes = table.codes()[:, 0].tolist()
    assert codes[0] == codes[2] != codes[1]
    assert codes[3] == -1
