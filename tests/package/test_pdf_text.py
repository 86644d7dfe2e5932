"""Words in a PDF are found however its strings are written, and bytes that only look like text end nothing."""

from __future__ import annotations

import pytest

from microveil.package.pdf_text import words_in_pdf


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
