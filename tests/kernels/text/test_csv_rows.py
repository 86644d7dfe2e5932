"""Rows and fields of CSV bytes, against cases one can read and against Python's own csv module."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.text.csv_rows import Rows, scan_rows


def rows_of(text: str, columns: int = 0, first_line: int = 1, most_rows: int = -1) -> tuple[Rows, list[int], list[int]]:
    found, quoted, plain, _ = counts_of(text, columns, first_line, most_rows)
    return found, quoted, plain


def counts_of(
    text: str, columns: int, first_line: int = 1, most_rows: int = -1
) -> tuple[Rows, list[int], list[int], list[int]]:
    quoted, plain, whole = np.zeros((3, columns), dtype=np.int64)
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    found = scan_rows(data, ord(","), columns, first_line, most_rows, quoted, plain, whole)
    return Rows(*found), quoted.tolist(), plain.tolist(), whole.tolist()


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("a,b\n1,2\n", 2, {"rows": 2, "fields": 2, "end": 8, "next_line": 3, "longest": 4}),
        ("a,b\r\n1,2", 2, {"rows": 2, "fields": 2, "end": 8, "next_line": 2, "longest": 5}),
        ("a,b\r1,2\r", 2, {"rows": 2, "next_line": 3}),
        ("a,b\n\n1,2\n", 2, {"rows": 2, "next_line": 4}),  # an empty line
        ("1\n\n2\n", 1, {"rows": 3}),  # with one column it is a missing value
        ('"x\ny",2\n', 2, {"rows": 1, "broken_lines": 1, "next_line": 3}),
        ('"x\r\ny",2\n', 2, {"rows": 1, "broken_lines": 1, "next_line": 3}),
        ('"say ""x""",2\n', 2, {"rows": 1, "fields": 2}),
        ('a"b,2\n', 2, {"rows": 1, "open_line": 0}),  # a quote inside a field is text
        ('1,2\n3,"4\n5', 2, {"rows": 1, "open_line": 2, "end": 10}),
        ("1,2\n3,4,5\n6,7\n", 2, {"rows": 1, "bad_line": 2, "bad_fields": 3}),
        ("1,2\n3,4,5\n", 0, {"rows": 1, "fields": 2, "bad_line": 2, "bad_fields": 3}),
    ],
)
def test_rows_and_what_is_wrong_with_them(text: str, columns: int, expected: dict[str, int]) -> None:
    found, _, _ = rows_of(text, columns)
    assert {name: getattr(found, name) for name in expected} == expected


def test_lines_are_counted_from_where_the_pass_begins() -> None:
    assert rows_of("1,2\n3\n", 2, first_line=7)[0].bad_line == 8
    assert rows_of("1,2\n3,4\n", 2, first_line=7, most_rows=1)[0]._asdict() == {
        "rows": 1,
        "fields": 2,
        "end": 4,
        "next_line": 8,
        "longest": 4,
        "broken_lines": 0,
        "bad_line": 0,
        "bad_fields": 0,
        "open_line": 0,
    }


def test_fields_in_quotes_are_counted_by_column() -> None:
    _, quoted, plain = rows_of('"a",1,\n"",2,x\n,"3",y\n', 3)
    assert (quoted, plain) == ([2, 1, 0], [0, 2, 2])


@pytest.mark.parametrize(
    ("field", "is_whole"),
    [
        *((field, True) for field in ("7", "0", "-0", "-12", "1234567890", "9" * 18, "-" + "9" * 18)),
        *((field, False) for field in ("", "-", "+7", "007", "-01", "1.5", " 7", "7 ", "7x", "1e3", "--7", "9" * 19)),
        *((field, False) for field in ('"7"', '7"', "/", ":", "１")),
    ],
)
def test_whole_numbers_are_digits_only_without_zeros_in_front(field: str, is_whole: bool) -> None:
    for text in (f"{field},x\n", f"x,{field}", f"x,{field}\n", f"x,{field}\r\n"):
        *_, whole = counts_of(text, 2)
        assert sum(whole) == is_whole


cells = st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=4)


@given(st.lists(st.tuples(cells, cells, cells), min_size=1), st.sampled_from(["\n", "\r\n"]))
def test_as_many_rows_as_the_csv_module_writes(records: list[tuple[str, str, str]], line_break: str) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=line_break, quoting=csv.QUOTE_ALL).writerows(records)
    found, quoted, plain = rows_of(text.getvalue(), 3)
    assert (found.rows, found.fields, found.bad_line, found.open_line) == (len(records), 3, 0, 0)
    assert (quoted, plain) == ([len(records)] * 3, [0, 0, 0])
    assert found.end == len(text.getvalue())
