"""Encodings of text, on bytes whose meaning the tables of the encodings tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from microveil.core.errors import BadInput
from microveil.io.csv_encoding import as_utf8

FILE = Path("in.csv")


@pytest.mark.parametrize(
    ("data", "told", "text", "found"),
    [
        (b"a,b\n", None, "a,b\n", "utf-8"),
        (b"\xef\xbb\xbfa\n", None, "a\n", "utf-8-sig"),
        (b"Stra\xc3\x9fe\n", None, "Straße\n", "utf-8"),
        (b"Stra\xdfe 5 \x80\n", None, "Straße 5 €\n", "cp1252"),
        (b"\xff\xfea\x00\xe9\x00\n\x00", None, "aé\n", "utf-16"),
        (b"\xfe\xff\x00a\x00\n", None, "a\n", "utf-16"),
        (b"Gr\x81n\n", "cp437", "Grün\n", "cp437"),
        (b"\xa3\xf3d\x9f\n", "cp1250", "Łódź\n", "cp1250"),
    ],
)
def test_bytes_become_utf8(data: bytes, told: str | None, text: str, found: str) -> None:
    assert as_utf8(FILE, data, told) == (text.encode("utf-8"), found)


def test_what_does_not_look_western_is_asked_for() -> None:
    with pytest.raises(BadInput, match=r"byte 6 \(line 2\) does not fit; .* name its encoding"):
        as_utf8(FILE, "город\nМосква\n".encode("cp1251").replace("город".encode("cp1251"), b"city"), None)


def test_what_does_not_fit_is_told() -> None:
    with pytest.raises(BadInput, match=r"'in.csv' is not utf-8: byte 2 does not fit"):
        as_utf8(FILE, b"a\xff\n", "utf-8")
    with pytest.raises(BadInput, match="encoding='utf9' is not known; common ones are"):
        as_utf8(FILE, b"a\n", "utf9")
    with pytest.raises(BadInput, match="is not text: byte 3 is zero"):
        as_utf8(FILE, b"ab\0\n", None)
