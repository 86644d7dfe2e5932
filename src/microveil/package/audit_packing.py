"""Audit: what the packing of a file says, and lines of text files that are no records."""

from __future__ import annotations

import csv
import io
import struct
import zipfile
from collections.abc import Iterator

from microveil.io.unpacking import unpack
from microveil.package.audit_files import DataFile

_NAME, _COMMENT, _EXTRA = 8, 16, 4  # flags of the header of a gzip file (RFC 1952)
_LOCAL, _DESCRIBED = 30, 8  # bytes of the head of a part of a zip file; a flag of it
_USUAL, _ROOM = (0x0001, 0x000A, 0x5455), 0xA220  # fields for long files and times; room to grow, which Excel leaves
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
            yield from _between_parts(packed, file.path.read_bytes())


def _between_parts(packed: zipfile.ZipFile, raw: bytes) -> Iterator[str]:
    """Bytes of a zip file that stand in none of its parts, fields that only few programs read, and hidden parts."""
    parts = sorted(packed.infolist(), key=lambda part: part.header_offset)
    if len({part.filename for part in parts}) < len(parts):
        yield "its packing holds several parts of one name"
    ends = [*(part.header_offset for part in parts[1:]), packed.start_dir]
    gaps = [end - _end_of(part, raw) for part, end in zip(parts, ends, strict=True)]
    # sizes that were not known before may follow a part
    described = [part.flag_bits & _DESCRIBED and gap in (12, 16, 20, 24) for part, gap in zip(parts, gaps, strict=True)]
    if any(gap and not said for gap, said in zip(gaps, described, strict=True)):
        yield "bytes stand between the parts of its packing"
    if any(_has_extra(extra) for part in parts for extra in (part.extra, _local_extra(part, raw))):
        yield "parts of its packing have fields of their own"


def _end_of(part: zipfile.ZipInfo, raw: bytes) -> int:
    name: int
    extra: int
    name, extra = struct.unpack_from("<2H", raw, part.header_offset + 26)
    return part.header_offset + _LOCAL + name + extra + part.compress_size


def _local_extra(part: zipfile.ZipInfo, raw: bytes) -> bytes:
    name, extra = struct.unpack_from("<2H", raw, part.header_offset + 26)
    start = part.header_offset + _LOCAL + name
    return raw[start : start + extra]


def _has_extra(extra: bytes) -> bool:
    """Whether the further fields of a part hold more than sizes, times and room that is empty."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<2H", extra)
        said, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind not in _USUAL and not (kind == _ROOM and not said[4:].strip(b"\0")):
            return True
    return bool(extra)


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
