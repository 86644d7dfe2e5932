"""Delimiters: found in lines that a reader can count, and what can be none."""

from __future__ import annotations

from pathlib import Path

import pytest

from microveil.core.errors import BadInput
from microveil.io.csv_delimiter import check_delimiter, find_delimiter, find_stated


@pytest.mark.parametrize(
    ("name", "text", "mark"),
    [
        ("a.csv", b"a,b\n1,2\n", ","),
        ("a.csv", b"a;b\n1,5;2,5\n", ";"),
        ("a.csv", b'a;b\n"x;y;z";2\n', ";"),
        ("a.csv", b"a|b,c\n1|2,3\n", "|"),
        ("a.txt", b"a\tb\n1\t2\n", "\t"),
        ("a.tsv", b"a,b\n1,2\n", "\t"),
        ("a.csv", b"alone\n1\n", ","),
    ],
)
def test_the_delimiter_that_is_found(name: str, text: bytes, mark: str) -> None:
    assert find_delimiter(Path(name), text) == mark


def test_spreadsheet_programs_state_it_in_a_first_line() -> None:
    assert find_stated(b"sep=;\r\na;b\n") == (";", 7)
    assert find_stated(b"SEP=|\na|b\n") == ("|", 6)
    assert find_stated(b"separate;b\n") == (None, 0)


@pytest.mark.parametrize("value", ["", ";;", '"', "\n", "\0", "§", None, 5])
def test_what_is_no_delimiter(value: object) -> None:
    with pytest.raises(BadInput, match=r"is not one plain character such as ',' ';' '\\t' or '\|'"):
        check_delimiter(value)  # type: ignore[arg-type]
