"""The delimiter of a CSV file: told, or found in its first lines."""

from __future__ import annotations

import re
from pathlib import Path

from microveil.core.errors import BadInput

DELIMITERS = (",", ";", "\t", "|")
PLAIN_CHARACTER = "one plain character such as ',' ';' '\\t' or '|'"
# a comma may also be a decimal comma or stand in a name: on equal terms the others are meant
_BY_WEIGHT = (";", "\t", "|", ",")
_LOOKED_AT = 1 << 20
_LINES = 20
_STATED = re.compile(rb"sep=(.)\r?\n", re.IGNORECASE)


def is_tab_separated(path: Path) -> bool:
    """Whether the ending says that tabs stand between the fields."""
    return path.name.lower().endswith((".tsv", ".tsv.gz"))


def find_stated(data: bytes) -> tuple[str | None, int]:
    """The delimiter of a first line such as `sep=;`, which spreadsheet programs write, and the length of that line."""
    found = _STATED.match(data)
    return (found[1].decode("ascii", "replace"), found.end()) if found else (None, 0)


def find_delimiter(path: Path, body: bytes | memoryview) -> str:
    """The most frequent mark of those that occur equally often in all of the first lines; a comma where none does."""
    if is_tab_separated(path):
        return "\t"
    start = bytes(body[:_LOOKED_AT])
    # what stands in quotes does not separate
    lines = [line for line in b"".join(start.split(b'"')[::2]).splitlines() if line.strip()] or [b""]
    if len(start) == _LOOKED_AT and len(lines) > 1:
        lines.pop()
    counts = {mark: [line.count(mark.encode()) for line in lines[:_LINES]] for mark in _BY_WEIGHT}
    regular = [mark for mark in _BY_WEIGHT if counts[mark][0] and set(counts[mark]) == {counts[mark][0]}]
    return max(regular or DELIMITERS, key=lambda mark: counts[mark][0])


def is_delimiter(value: object) -> bool:
    """Whether this is one character that is not used otherwise."""
    return isinstance(value, str) and len(value) == 1 and value.isascii() and value not in '"\r\n\0'


def check_delimiter(delimiter: str) -> None:
    """A delimiter is one character that is not used otherwise."""
    if not is_delimiter(delimiter):
        raise BadInput(f"delimiter={delimiter!r} is not {PLAIN_CHARACTER}")
