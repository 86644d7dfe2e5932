"""The shape of CSV text, counted by hand."""

from __future__ import annotations

from microveil.io.csv_scan import scan


def test_fields_that_are_quoted_plain_and_whole() -> None:
    seen = scan(b'1,"a",x\r\n-20,"b ""c""",7\n3,,007\n', ",", 3, line=2)
    assert (seen.rows, seen.fields, seen.bad_line, seen.open_line, seen.next_line) == (3, 3, 0, 0, 5)
    assert seen.quoted.tolist() == [0, 2, 0]
    assert seen.plain.tolist() == [3, 0, 3]
    assert seen.whole.tolist() == [3, 0, 1]  # 007 is no number: its zeros would be lost
    assert seen.all_whole == [True, False, False]
    assert seen.longest == len(b'-20,"b ""c""",7\n')
    assert not seen.newlines_in_quotes


def test_numbers_of_more_than_64_bits_are_no_whole_numbers() -> None:
    assert scan(b"999999999999999999\n", ",", 1, line=1).all_whole == [True]
    assert scan(b"9999999999999999999\n", ",", 1, line=1).all_whole == [False]


def test_a_row_with_another_number_of_fields_ends_the_pass() -> None:
    seen = scan(b'a;"x\ny"\nb;2\nc\nd;4\n', ";", 2, line=10)
    assert (seen.rows, seen.bad_line, seen.bad_fields) == (2, 13, 1)
    assert seen.newlines_in_quotes


def test_a_quote_that_is_never_closed_is_told_with_its_line() -> None:
    assert scan(b'a,b\n1,"2\n3,4\n', ",", 2, line=1).open_line == 2


def test_the_first_row_says_how_many_fields_there_are() -> None:
    header = scan(b"a|b|c|d\n1|2|3|4\n", "|", 0, line=1, most_rows=1)
    assert (header.rows, header.fields, header.end) == (1, 4, 8)
