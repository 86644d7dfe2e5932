"""Writing SPSS files (.sav, and .zsav compressed), without label, time stamp and documents.

Reference: the description of the system file format in the PSPP developers' manual.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.core.open_types import Labels
from microveil.io.adapting import (
    adapt,
    as_doubles,
    is_text,
    refuse_long_numbers,
    refuse_trailing_blanks,
    tell_missing_text,
    without_empty_text,
    without_zone,
)
from microveil.io.cleaning import Clean
from microveil.io.formats.calendar import SINCE_1582

_TITLE = "SPSS"
_LONGEST_TEXT = 32_767
_SEGMENT = 255
_SEGMENT_STEP = 252  # so much of a segment counts when their number is computed
_MISSING = -np.finfo(np.float64).max
_ROWS_AT_ONCE = 32_768
_ZLIB_BLOCK = 0x3FF000
_LONGEST_LABEL = 120
_LONGEST_TITLE = 255
_MEASURE = {"nominal": 1, "ordinal": 2, "continuous": 3}
_RESERVED = frozenset(("ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"))
# print formats: type of format, width, decimals
_TEXT_FORMAT, _NUMBER_FORMAT, _DATE_FORMAT, _TIME_FORMAT, _MOMENT_FORMAT = 1, 5, 23, 21, 22


def for_spss(clean: Clean) -> Clean:
    """The table as SPSS holds it; names and values that it cannot hold are refused."""
    folded: dict[str, str] = {}
    for name in clean.table.column_names:
        fits = re.fullmatch(r"[^\W\d_@][\w.@#$]*", name) and len(name.encode("utf-8")) <= 64 and not name.endswith(".")
        if not fits or name.upper() in _RESERVED:
            raise BadInput(
                f"{name!r} cannot be a name in SPSS: a letter first, then letters, digits, . _ @ # $, up to 64 bytes, "
                "no reserved word; rename the column"
            )
        if name.upper() in folded:
            raise BadInput(f"{name!r} and {folded[name.upper()]!r} are the same name to SPSS; rename one of them")
        folded[name.upper()] = name
    return adapt(clean, _column)


def _column(column: pa.ChunkedArray, name: str, notes: list[str]) -> pa.ChunkedArray:
    kind = column.type
    if is_text(kind):
        if pc.any(pc.greater(pc.binary_length(column), _LONGEST_TEXT)).as_py():
            raise BadInput(f"text in column {name!r} is longer than {_LONGEST_TEXT} bytes; write Parquet or CSV")
        refuse_trailing_blanks(column, name, _TITLE)
        tell_missing_text(column, name, _TITLE, notes)
        return without_empty_text(column, name, _TITLE, notes)
    if pa.types.is_boolean(kind):
        notes.append(f"true and false in {name!r} were written as 1 and 0")
        return column.cast(pa.int8())
    if pa.types.is_timestamp(kind):
        return without_zone(column, name, notes)
    if pa.types.is_integer(kind):
        refuse_long_numbers(column, name, _TITLE)
    return as_doubles(column)


class _Variable:
    """One column in the file: short name, place among the 8-byte cells, format and values."""

    def __init__(self, name: str, short: str, column: pa.ChunkedArray) -> None:
        self.name, self.short = name, short
        kind = column.type
        self.width = 0
        self.decimals = 0
        self.shown = _NUMBER_FORMAT
        if is_text(kind):
            self.shown = _TEXT_FORMAT
            self._text(column)
            return
        self.dtype = "<f8"
        valid = column.is_valid().to_numpy()
        self.values = np.where(valid, self._numbers(column), _MISSING)

    def _text(self, column: pa.ChunkedArray) -> None:
        encoded = column.combine_chunks().dictionary_encode()
        words = [word.encode("utf-8") for word in encoded.dictionary.to_pylist()]
        self.width = max([1, *map(len, words)])
        self.dtype = f"S{self.cells * 8}"
        padded = [self._laid_out(word) for word in [*words, b""]]
        codes = pc.fill_null(encoded.indices, len(words)).to_numpy()
        self.values = np.array(padded, dtype=self.dtype)[codes]

    def _laid_out(self, word: bytes) -> bytes:
        """The text padded with blanks; a long one in pieces of 255 bytes, one blank after each."""
        pieces = [word[start : start + _SEGMENT] for start in range(0, len(word), _SEGMENT)] or [b""]
        # the blank after the last piece may lie beyond the cells: NumPy cuts there
        return b"".join(piece.ljust(_SEGMENT + 1) for piece in pieces).ljust(np.dtype(self.dtype).itemsize)

    def _numbers(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        kind = column.type
        if pa.types.is_date(kind):
            self.shown = _DATE_FORMAT
            return (_filled(column.cast(pa.int32())) + float(SINCE_1582)) * 86_400
        if pa.types.is_timestamp(kind):
            self.shown = _MOMENT_FORMAT
            ticks = _filled(column.cast(pa.timestamp("us"), safe=False).cast(pa.int64()))
            return (ticks + SINCE_1582 * 86_400_000_000) / 1e6
        if pa.types.is_time(kind):
            self.shown = _TIME_FORMAT
            return _filled(column.cast(pa.time64("us"), safe=False).cast(pa.int64())) / 1e6
        if pa.types.is_floating(kind):
            self.decimals = 2
        return _filled(column.cast(pa.float64()))

    @property
    def segments(self) -> list[int]:
        """Widths of the pieces a text is stored in; one piece up to 255 bytes."""
        if self.width <= _SEGMENT:
            return [self.width]
        count = -(-self.width // _SEGMENT_STEP)
        return [_SEGMENT] * (count - 1) + [self.width - (count - 1) * _SEGMENT_STEP]

    @property
    def cells(self) -> int:
        """How many 8-byte cells a record gives to the column."""
        return sum(map(_cells, self.segments))

    @property
    def print_format(self) -> int:
        """The display format as SPSS codes it."""
        width = {_TEXT_FORMAT: min(self.width, _SEGMENT), _DATE_FORMAT: 11, _TIME_FORMAT: 11, _MOMENT_FORMAT: 23}.get(
            self.shown, 12
        )
        decimals = 2 if self.shown == _MOMENT_FORMAT else self.decimals
        return self.shown << 16 | width << 8 | decimals


def _cells(width: int) -> int:
    """How many 8-byte cells a piece of text takes; a number, whose width is 0, takes one."""
    return max(-(-width // 8), 1)


def _filled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.fill_null(column, pa.scalar(0, column.type)).to_numpy()


def write_spss(clean: Clean, handle: BinaryIO, compress: bool) -> None:
    """Write the table with the labels of the codes that occur."""
    table = clean.table
    # short names are made up: V1, V2, ... and pieces of long texts W1, W2, ...
    variables = [_Variable(name, f"V{place}", table[name]) for place, name in enumerate(table.column_names, start=1)]
    cells = sum(one.cells for one in variables)
    handle.write(_header(cells, table.num_rows, compress))
    handle.write(_dictionary(variables, clean))
    handle.write(_extensions(variables, clean, table.num_rows))
    handle.write(struct.pack("<ii", 999, 0))
    records = _records(variables, table.num_rows)
    if compress:
        _write_compressed(records, handle)
    else:
        handle.writelines(records)


def _header(cells: int, rows: int, compress: bool) -> bytes:
    return (
        (b"$FL3" if compress else b"$FL2")
        + b"@(#) SPSS DATA FILE".ljust(60)
        + struct.pack("<iiiiid", 2, cells, 2 if compress else 0, 0, rows if rows < 2**31 else -1, 100.0)
        + b"01 Jan 7000:00:00"
        + b" " * 64
        + bytes(3)
    )


def _dictionary(variables: list[_Variable], clean: Clean) -> bytes:
    parts: list[bytes] = []
    labels: list[bytes] = []
    cell, piece = 1, 0
    for one in variables:
        first_cell = cell
        for place, width in enumerate(one.segments):
            piece += place > 0
            title = clean.titles.get(one.name, "") if place == 0 else ""
            shown = one.print_format if place == 0 else _TEXT_FORMAT << 16 | width << 8
            parts.append(_variable_record(width, shown, one.short if place == 0 else f"W{piece}", title))
            more = _cells(width) - 1
            parts.append(struct.pack("<iiiiii8s", 2, -1, 0, 0, 0, 0, b" " * 8) * more)
            cell += more + 1
        texts = clean.labels.get(one.name)
        if texts and one.width <= 8:
            labels.append(_label_record(texts, one.width, first_cell))
    return b"".join(parts) + b"".join(labels)


def _variable_record(width: int, shown: int, short: str, title: str) -> bytes:
    record = struct.pack("<iiiiii", 2, width, bool(title), 0, shown, shown) + short.encode().ljust(8)
    if title:
        raw = _cut(title, _LONGEST_TITLE)
        record += struct.pack("<i", len(raw)) + raw.ljust(-(-len(raw) // 4) * 4)
    return record


def _label_record(texts: Labels, width: int, cell: int) -> bytes:
    parts = [struct.pack("<ii", 3, len(texts))]
    for code, text in texts.items():
        raw = _cut(text, _LONGEST_LABEL)
        value = str(code).encode("utf-8").ljust(8) if width else struct.pack("<d", float(code))
        parts.append(value + (bytes([len(raw)]) + raw).ljust(-(-(len(raw) + 1) // 8) * 8))
    return b"".join(parts) + struct.pack("<iii", 4, 1, cell)


def _cut(text: str, most: int) -> bytes:
    return text.encode("utf-8")[:most].decode("utf-8", "ignore").encode("utf-8")


def _extensions(variables: list[_Variable], clean: Clean, rows: int) -> bytes:
    smallest = np.nextafter(_MISSING, 0)
    display = [
        value
        for one in variables
        for place, width in enumerate(one.segments)
        for value in (_MEASURE[clean.kinds[one.name]], min(max(width, 8), 40), 0 if one.width else 1)
    ]
    parts = [
        _extension(3, 4, struct.pack("<8i", 20, 0, 0, -1, 1, 1, 2, 65001)),
        _extension(4, 8, struct.pack("<3d", _MISSING, np.finfo(np.float64).max, smallest)),
        _extension(11, 4, struct.pack(f"<{len(display)}i", *display)),
        _extension(13, 1, "\t".join(f"{one.short}={one.name}" for one in variables).encode("utf-8")),
    ]
    long = "".join(f"{one.short}={one.width:05d}\0\t" for one in variables if one.width > _SEGMENT)
    if long:
        parts.append(_extension(14, 1, long.encode()))
    parts += [_extension(16, 8, struct.pack("<qq", 1, rows)), _extension(20, 1, b"UTF-8")]
    wide = b"".join(
        _long_labels(one, clean.labels[one.name]) for one in variables if one.width > 8 and one.name in clean.labels
    )
    if wide:
        parts.append(_extension(21, 1, wide))
    return b"".join(parts)


def _extension(subtype: int, size: int, content: bytes) -> bytes:
    return struct.pack("<iiii", 7, subtype, size, len(content) // size) + content


def _long_labels(one: _Variable, texts: Labels) -> bytes:
    name = one.name.encode("utf-8")
    parts = [struct.pack("<i", len(name)) + name + struct.pack("<ii", one.width, len(texts))]
    for code, text in texts.items():
        value, raw = str(code).encode("utf-8").ljust(one.width), _cut(text, _LONGEST_LABEL)
        parts.append(struct.pack("<i", len(value)) + value + struct.pack("<i", len(raw)) + raw)
    return b"".join(parts)


def _records(variables: list[_Variable], rows: int) -> Iterator[bytes]:
    dtype = np.dtype([(one.short, one.dtype) for one in variables])
    for start in range(0, rows, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, rows)
        records = np.zeros(stop - start, dtype=dtype)
        for one in variables:
            records[one.short] = one.values[start:stop]
        yield records.tobytes()


def _write_compressed(records: Iterator[bytes], handle: BinaryIO) -> None:
    """The records as literal cells of the inner coding, in blocks packed by zlib, with a table of the blocks."""
    start = handle.tell()
    handle.write(bytes(24))  # places that are known at the end
    blocks: list[tuple[int, int, int, int]] = []
    plain_place = start

    def emit(block: bytes) -> None:
        nonlocal plain_place
        packed = zlib.compress(block)
        blocks.append((plain_place, handle.tell(), len(block), len(packed)))
        handle.write(packed)
        plain_place += len(block)

    waiting = b""
    for part in _literal(records):
        waiting += part
        while len(waiting) >= _ZLIB_BLOCK:
            emit(waiting[:_ZLIB_BLOCK])
            waiting = waiting[_ZLIB_BLOCK:]
    if waiting:
        emit(waiting)
    trailer = handle.tell()
    handle.write(struct.pack("<qqii", -100, 0, _ZLIB_BLOCK, len(blocks)))
    handle.writelines(struct.pack("<qqii", *block) for block in blocks)
    end = handle.tell()
    handle.seek(start)
    handle.write(struct.pack("<qqq", start, trailer, end - trailer))
    handle.seek(end)


def _literal(records: Iterator[bytes]) -> Iterator[bytes]:
    """Eight cells after eight codes 253, which say that the cells follow as they are; 0 fills the last group."""
    for part in records:
        cells = np.frombuffer(part, dtype=np.uint8).reshape(-1, 8)
        whole = len(cells) // 8 * 8
        groups = np.full((whole // 8, 72), 253, dtype=np.uint8)
        groups[:, 8:] = cells[:whole].reshape(-1, 64)
        yield groups.tobytes()
        rest = cells[whole:]
        if len(rest):
            yield bytes([253] * len(rest)).ljust(8, b"\0") + rest.tobytes()
