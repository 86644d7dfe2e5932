"""Where the data of an SPSS file end, by what its head says: bytes behind that end are read by nobody."""

from __future__ import annotations

import struct
import zlib

_CASES, _COMPRESSION = 80, 72  # places in the head
_END, _RAW_FOLLOWS = 252, 253  # codes of compressed data: no more of them, and 8 bytes as they are
_PLAIN, _CODES, _ZLIB = 0, 1, 2


def bytes_behind(raw: bytes, place: int, elements: int, little: bool) -> int:
    """How many bytes stand behind the data that begin at a place, of records of so many elements of 8 bytes."""
    order = "<" if little else ">"
    compression, cases = (struct.unpack_from(f"{order}i", raw, at)[0] for at in (_COMPRESSION, _CASES))
    cells = cases * elements if cases >= 0 else None
    if compression == _PLAIN:
        return 0 if cells is None else len(raw) - place - 8 * cells
    if compression == _CODES:
        return len(raw) - _end_of_codes(raw, place, cells)
    if compression == _ZLIB:
        return _behind_blocks(raw, place, cells, order)
    return 0  # which no reader opens


def _end_of_codes(raw: bytes, place: int, cells: int | None) -> int:
    """Where compressed data end: eight codes, a byte each, then what they leave uncompressed."""
    while place < len(raw) and (cells is None or cells > 0):
        codes = raw[place : place + 8]
        ends = codes.find(_END)
        codes = codes if ends < 0 else codes[:ends]
        place += 8 + 8 * codes.count(_RAW_FOLLOWS)
        if ends >= 0:
            return place
        if cells is not None:
            cells -= len(codes) - codes.count(0)
    if raw[place : place + 1] == bytes([_END]) and not raw[place + 1 : place + 8].strip(b"\0"):
        place += 8  # the end in a group of its own
    return place


def _behind_blocks(raw: bytes, place: int, cells: int | None, order: str) -> int:
    """Bytes that are in no block of a .zsav file, and those behind the data in its blocks."""
    _, trailer, length = struct.unpack_from(f"{order}3q", raw, place)
    count = struct.unpack_from(f"{order}i", raw, trailer + 20)[0]
    blocks = [struct.unpack_from(f"{order}2q2i", raw, trailer + 24 + 24 * one) for one in range(count)]
    data = b"".join(
        zlib.decompressobj().decompress(raw[start : start + size], max(said, 1)) for _, start, said, size in blocks
    )
    told: int = place + 24 + sum(size for *_, size in blocks) + length
    return (len(raw) - told) + (len(data) - _end_of_codes(data, 0, cells))
