"""Texts of others in lines of ours: what a terminal or an editor would not show, or would take for a new line.

Names of files and columns, titles and reasons may hold line breaks, signs that reverse the direction of writing, or
halves of characters. Printed as they are they could put a line into an audit that nobody wrote.
"""

from __future__ import annotations

import unicodedata

_SPACES = "Zs"  # blanks of all widths, which tear no line


def is_plain(text: str) -> bool:
    """Whether a text is one line of signs that are shown as they stand.

    >>> is_plain("données.csv"), is_plain("a\\nholds: b"), is_plain("\\u202evsc.atad")
    (True, False, False)
    """
    return all(map(_is_shown, text))


def has_halves(text: str) -> bool:
    """Whether a text holds halves of characters (lone surrogates), which no file can hold.

    >>> has_halves("a\\ud800"), has_halves("a\\U0001f600")
    (True, False)
    """
    return any("\ud800" <= sign <= "\udfff" for sign in text)


def one_line(text: str) -> str:
    """The text in one line, every sign that is not shown written by its number.

    >>> one_line("data.csv\\nholds: all is well")
    'data.csv\\\\nholds: all is well'
    """
    return text if is_plain(text) else "".join(sign if _is_shown(sign) else _by_number(sign) for sign in text)


def _is_shown(sign: str) -> bool:
    return sign.isprintable() or unicodedata.category(sign) == _SPACES


def _by_number(sign: str) -> str:
    return sign.encode("ascii", "backslashreplace").decode() if ord(sign) > 0x7E else repr(sign)[1:-1]
