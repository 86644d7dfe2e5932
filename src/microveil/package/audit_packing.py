"""Audit: what the packing of a file says, and lines of text files that are no records."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator

from microveil.io.unpacking import unpack
from microveil.package.audit_files import DataFile

_NAME, _COMMENT, _EXTRA = 8, 16, 4  # flags of the header of a gzip file (RFC 1952)
_MARKS = ("#", "%", "//")  # with which comments begin


def look_at_packing(file: DataFile) -> Iterator[str]:
    """Headers of gzip files name their source; zip files, and so workbooks, may carry comments."""
    with file.path.open("rb") as handle:
        start = handle.read(1 << 16)
    if start.startswith(b"\x1f\x8b"):
        yield from _gzip_header(file, start)
    if zipfile.is_zipfile(file.path):
        with zipfile.ZipFile(file.path) as packed:
            if packed.comment or any(part.comment for part in packed.infolist()):
                yield "its packing holds a comment"
            if not start.startswith(b"PK"):
                yield "bytes stand before its packing"


def _gzip_header(file: DataFile, start: bytes) -> Iterator[str]:
    flags, place = start[3], 10
    if flags & _EXTRA:
        yield "the header of its packing holds more than a name"
        place += 2 + int.from_bytes(start[place : place + 2], "little")
    if flags & _NAME:
        name = start[place:].split(b"\0", 1)[0].decode("latin-1")
        if name != file.path.name.removesuffix(".gz"):
            yield f"the header of its packing names {name!r}"
    if flags & _COMMENT:
        yield "the header of its packing holds a comment"


def look_for_comments(file: DataFile) -> Iterator[str]:
    """Lines of a CSV file that begin as comments do and have other fields than the first."""
    if file.format != "csv":
        return
    raw = unpack(file.path) if file.path.suffix == ".gz" else file.path.read_bytes()
    text = io.StringIO(raw.decode("utf-8-sig", errors="replace"), newline="")
    first = text.readline()
    delimiter = max(",;\t|", key=first.count)
    fields = len(next(csv.reader([first], delimiter=delimiter), []))
    rows = csv.reader(text, delimiter=delimiter)
    found = [row for row in rows if row and len(row) != fields and row[0].startswith(_MARKS)]
    if found or first.startswith(_MARKS[:1]):
        yield "it has lines that are comments"
