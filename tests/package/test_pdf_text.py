"""Words in a PDF are found however its strings are written, and bytes that only look like text end nothing."""

from __future__ import annotations

import pytest

from microveil.package.pdf_text import words_in_pdf
from microveil.package.removed_values import Removed


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        (rb"(a\142\n\(c\))", "ab\n(c)"),
        (rb"(\8\9\18)", "89\x018"),  # no digits of base 8: the backslash is passed over
        (rb"(\777)", "\xff"),
        (b"<61 62>", "ab"),
        (b"<61 6>", "a`"),  # a digit alone, after a blank
        (b"<617>", "ap"),
        (b"<>", ""),
    ],
)
def test_a_string_is_read_as_a_reader_of_pdf_does(shown, read):
    assert list(words_in_pdf([b"BT " + shown + b" Tj ET"])) == [f"{read}\n"]


def test_where_the_objects_of_a_pdf_begin_are_no_amounts_of_a_file():
    removed = Removed({}, {"income": frozenset({10450.0, 23107.0, 48300.0})})
    places = b"".join(b"%010d 00000 n\r\n" % place for place in (10450, 23107, 48300))
    assert removed.columns_in(b"xref\n0 3\n" + places + b"trailer") == []
    assert removed.columns_in(b"xref\n0 3\n" + places + b"10,450 and 23107, 48300.") == ["'income'"]
