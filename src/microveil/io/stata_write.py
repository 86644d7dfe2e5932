"""Writing Stata files (format 118, Stata 14 and later), without label and time stamp.

Reference: Stata's own description of the .dta format, `help dta_118`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.arrays import AnyArray, Bools
from microveil.core.errors import BadInput
from microveil.core.open_types import Labels
from microveil.io.adapting import (
    adapt,
    is_text,
    refuse_long_numbers,
    tell_missing_text,
    without_empty_text,
    without_zone,
)
from microveil.io.cleaning import Clean
from microveil.io.formats.calendar import SINCE_1960

_TITLE = "Stata"
_LONGEST_FIXED = 2_045
_MOST_COLUMNS = 32_767
_ROWS_AT_ONCE = 65_536
# type code, NumPy type, the missing value, smallest and largest value
_WHOLE: tuple[tuple[int, str, int, int, int], ...] = (
    (65530, "<i1", 101, -127, 100),
    (65529, "<i2", 32_741, -32_767, 32_740),
    (65528, "<i4", 2_147_483_621, -2_147_483_647, 2_147_483_620),
)
_DOUBLE, _FLOAT, _LONG_TEXT = 65526, 65527, 32768
_MISSING_DOUBLE = struct.unpack("<d", struct.pack("<Q", 0x7FE0000000000000))[0]
_MISSING_FLOAT = struct.unpack("<f", struct.pack("<I", 0x7F000000))[0]
_RESERVED = frozenset(
    {"_all", "_b", "_coef", "_cons", "_n", "_N", "_pi", "_pred", "_rc", "_skip"}
    | {"byte", "double", "float", "if", "in", "int", "long", "strL", "using", "with"}
)


def for_stata(clean: Clean) -> Clean:
    """The table as Stata holds it; names and values that it cannot hold are refused."""
    if clean.table.num_columns > _MOST_COLUMNS:
        raise BadInput(
            f"{clean.table.num_columns} columns; a Stata file holds at most {_MOST_COLUMNS}: write Parquet or CSV"
        )
    for name in clean.table.column_names:
        if not re.fullmatch(r"[^\W\d]\w{0,31}", name) or name in _RESERVED or re.fullmatch(r"str\d+", name):
            raise BadInput(
                f"{name!r} cannot be a name in Stata: up to 32 letters, digits and underscores, no digit first, "
                "no reserved word; rename the column"
            )
    return adapt(clean, _column)


def _column(column: pa.ChunkedArray, name: str, notes: list[str]) -> pa.ChunkedArray:
    kind = column.type
    if is_text(kind):
        if pc.any(pc.match_substring(column, "\0")).as_py():
            raise BadInput(f"text in column {name!r} holds zero characters, which Stata cannot keep; write Parquet")
        tell_missing_text(column, name, _TITLE, notes)
        return without_empty_text(column, name, _TITLE, notes)
    if pa.types.is_boolean(kind):
        notes.append(f"true and false in {name!r} were written as 1 and 0")
        return column.cast(pa.int8())
    if pa.types.is_timestamp(kind):
        return without_zone(column, name, notes)
    if pa.types.is_integer(kind):
        refuse_long_numbers(column, name, _TITLE)
    if pa.types.is_floating(kind):
        bound = 1.7e38 if kind == pa.float32() else 8.9e307
        largest = pc.max(pc.abs(column)).as_py()
        if largest is not None and largest > bound:
            raise BadInput(
                f"column {name!r} holds numbers beyond {bound:g}, which Stata cannot keep; write Parquet or CSV"
            )
    return column


class _Field:
    """One column in the file: its code, its place in a record, its format and its values."""

    def __init__(self, place: int, column: pa.ChunkedArray) -> None:
        self.long_texts: list[tuple[int, bytes]] = []
        kind = column.type
        valid = np.asarray(column.is_valid().to_numpy(), dtype=np.bool_)
        if is_text(kind):
            self._text(place, column)
        elif pa.types.is_integer(kind):
            self._whole(column, valid)
        elif kind == pa.float32():
            self.code, self.dtype, self.shown = _FLOAT, "<f4", "%9.0g"
            self.values = np.where(valid, _filled(column), _MISSING_FLOAT).astype("<f4")
        else:
            self._double(column, valid)

    def _text(self, place: int, column: pa.ChunkedArray) -> None:
        encoded = column.combine_chunks().dictionary_encode()
        words = [word.encode("utf-8") for word in encoded.dictionary.to_pylist()]
        codes = _filled(encoded.indices, len(words)).astype(np.int64)
        width = max([1, *map(len, words)])
        if width <= _LONGEST_FIXED:
            self.code, self.dtype, self.shown = width, f"S{width}", f"%{width}s"
            self.values = np.array([*words, b""], dtype=self.dtype)[codes]
            return
        self.code, self.dtype, self.shown = _LONG_TEXT, "<u8", "%9s"
        first = np.zeros(len(words) + 1, dtype=np.uint64)
        first[codes[::-1]] = np.arange(len(codes), 0, -1, dtype=np.uint64)
        reference = np.uint64(place) | (first << np.uint64(16))
        reference[-1] = 0  # no text
        self.values = reference[codes]
        self.long_texts = sorted((int(row), word) for row, word in zip(first[:-1], words, strict=True))

    def _whole(self, column: pa.ChunkedArray, valid: Bools) -> None:
        bounds = pc.min_max(column).as_py()
        low, high = bounds["min"] or 0, bounds["max"] or 0
        for code, dtype, missing, smallest, largest in _WHOLE:
            if smallest <= low and high <= largest:
                self.code, self.dtype, self.shown = code, dtype, "%12.0g"
                self.values = np.where(valid, _filled(column), missing).astype(dtype)
                return
        self._double(column, valid)
        self.shown = "%20.0f"

    def _double(self, column: pa.ChunkedArray, valid: Bools) -> None:
        kind = column.type
        self.code, self.dtype, self.shown = _DOUBLE, "<f8", "%10.0g"
        if pa.types.is_date(kind):
            numbers, self.shown = _filled(column.cast(pa.int32())).astype(np.float64) + SINCE_1960, "%td"
        elif pa.types.is_timestamp(kind):
            ticks = _filled(column.cast(pa.timestamp("us"), safe=False).cast(pa.int64()))
            numbers, self.shown = (ticks + SINCE_1960 * 86_400_000_000) / 1000, "%tc"
        elif pa.types.is_time(kind):
            numbers = _filled(column.cast(pa.time64("us"), safe=False).cast(pa.int64())) / 1000
            self.shown = "%tcHH:MM:SS"
        else:
            numbers = _filled(column).astype(np.float64)
        self.values = np.where(valid, numbers, _MISSING_DOUBLE)


def _filled(column: pa.ChunkedArray, value: int = 0) -> AnyArray:
    filled = pc.fill_null(column, pa.scalar(value, column.type))
    found = filled.to_numpy() if isinstance(filled, pa.ChunkedArray) else filled.to_numpy(zero_copy_only=False)
    return np.asarray(found)


def write_stata(clean: Clean, handle: BinaryIO) -> None:
    """Write the table with the labels of the codes that occur."""
    table = clean.table
    names = table.column_names
    fields = [_Field(place, column) for place, column in enumerate(table.columns, start=1)]
    labels = {name: _usable_labels(texts) for name, texts in clean.labels.items()}
    code_of = dict(zip(names, (one.code for one in fields), strict=True))
    labels = {name: texts for name, texts in labels.items() if texts and code_of[name] > _LONG_TEXT}
    head = (
        b"<stata_dta><header><release>118</release><byteorder>LSF</byteorder><K>"
        + struct.pack("<H", len(names))
        + b"</K><N>"
        + struct.pack("<Q", table.num_rows)
        + b"</N><label>\0\0</label><timestamp>\0</timestamp></header>"
    )
    titles = [clean.titles.get(name, "") for name in names]
    sections = [
        _section("variable_types", struct.pack(f"<{len(names)}H", *(one.code for one in fields))),
        _section("varnames", b"".join(_fixed(name, 129) for name in names)),
        _section("sortlist", bytes(2 * (len(names) + 1))),
        _section("formats", b"".join(_fixed(one.shown, 57) for one in fields)),
        _section("value_label_names", b"".join(_fixed(name if name in labels else "", 129) for name in names)),
        _section("variable_labels", b"".join(_fixed(title, 321) for title in titles)),
        _section("characteristics", b""),
    ]
    dtype = np.dtype([(str(place), one.dtype) for place, one in enumerate(fields)])
    tail = [
        _section("strls", b"".join(_long_text(place, one) for place, one in enumerate(fields, start=1))),
        _section("value_labels", b"".join(_label_table(name, texts) for name, texts in labels.items())),
    ]
    data_size = len(b"<data></data>") + dtype.itemsize * table.num_rows
    handle.write(head + _map(len(head), [*map(len, sections), data_size, *map(len, tail)]))
    handle.writelines(sections)
    handle.write(b"<data>")
    _write_records(fields, dtype, table.num_rows, handle)
    handle.write(b"</data>")
    handle.writelines(tail)
    handle.write(b"</stata_dta>")


def _write_records(fields: list[_Field], dtype: np.dtype[np.void], rows: int, handle: BinaryIO) -> None:
    for start in range(0, rows, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, rows)
        records = np.zeros(stop - start, dtype=dtype)
        for place, one in enumerate(fields):
            records[str(place)] = one.values[start:stop]
        handle.write(records.tobytes())


def _map(head: int, sizes: list[int]) -> bytes:
    """Where every section begins."""
    size = len(b"<map></map>") + 8 * 14
    offsets = [0, head]
    place = head + size
    for one in sizes:
        offsets.append(place)
        place += one
    offsets += [place, place + len(b"</stata_dta>")]
    return b"<map>" + struct.pack("<14Q", *offsets) + b"</map>"


def _section(name: str, content: bytes) -> bytes:
    return f"<{name}>".encode() + content + f"</{name}>".encode()


def _fixed(text: str, width: int) -> bytes:
    """Text in a field of fixed width, cut between characters where it is too long."""
    raw = text.encode("utf-8")[: width - 1]
    return raw.decode("utf-8", "ignore").encode("utf-8").ljust(width, b"\0")


def _long_text(place: int, one: _Field) -> bytes:
    return b"".join(
        b"GSO" + struct.pack("<IQBI", place, row, 130, len(word) + 1) + word + b"\0"
        for row, word in one.long_texts
        if word
    )


def _usable_labels(texts: Labels) -> dict[int, str]:
    """Stata labels whole numbers only."""
    return {
        int(code): text
        for code, text in texts.items()
        if isinstance(code, int | float) and int(code) == code and _WHOLE[2][3] <= code <= _WHOLE[2][4]
    }


def _label_table(name: str, texts: Mapping[int, str]) -> bytes:
    codes = sorted(texts)
    raw = [texts[code].encode("utf-8") + b"\0" for code in codes]
    places = np.concatenate([[0], np.cumsum([len(text) for text in raw])[:-1]]).astype("<i4")
    body = (
        struct.pack("<ii", len(codes), sum(map(len, raw)))
        + places.tobytes()
        + np.array(codes, dtype="<i4").tobytes()
        + b"".join(raw)
    )
    return b"<lbl>" + struct.pack("<i", len(body)) + _fixed(name, 129) + bytes(3) + body + b"</lbl>"
