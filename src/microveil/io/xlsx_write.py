"""Writing XLSX: one sheet, names in the first row, neutral properties."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.io.adapting import (
    adapt,
    as_dates,
    as_doubles,
    is_text,
    refuse_long_numbers,
    same,
    without_empty_text,
    without_zone,
)
from microveil.io.cleaning import Clean

if TYPE_CHECKING:
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

_TITLE = "XLSX"
_MOST_ROWS, _MOST_COLUMNS, _LONGEST_TEXT = 1_048_576, 16_384, 32_767
_ROWS_AT_ONCE = 16_384
_FIRST_YEAR = 1900
_NO_TIME = (1980, 1, 1, 0, 0, 0)
# characters that XML cannot hold, and the escapes that readers would turn into other characters
_UNFIT = r"[\x00-\x08\x0b-\x1f\x{fffe}\x{ffff}]|_x[0-9A-Fa-f]{4}_"
_PROPERTIES = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    b'<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>'
)


def for_xlsx(clean: Clean) -> Clean:
    """The table as XLSX holds it; what it cannot hold is refused."""
    rows, columns = clean.table.num_rows, clean.table.num_columns
    if rows >= _MOST_ROWS or columns > _MOST_COLUMNS:
        raise BadInput(
            f"a sheet holds up to {_MOST_ROWS - 1} records and {_MOST_COLUMNS} columns, and there are {rows} and "
            f"{columns}: write Parquet or CSV"
        )
    adapted = adapt(clean, _column)
    _refuse_empty_records(adapted.table)
    return adapted


def _refuse_empty_records(table: pa.Table) -> None:
    held = np.zeros(table.num_rows, dtype=np.bool_)
    for column in table.columns:
        held |= np.asarray(column.is_valid().to_numpy(), dtype=np.bool_)
    empty = int((~held).sum())
    if empty:
        raise BadInput(
            f"{empty} record{'s have' if empty > 1 else ' has'} no value in any column, which readers of XLSX take for "
            "the end of the sheet; write Parquet or CSV"
        )


def _column(column: pa.ChunkedArray, name: str, notes: list[str]) -> pa.ChunkedArray:
    kind = column.type
    if is_text(kind):
        too_long = pc.greater(pc.utf8_length(column), _LONGEST_TEXT)
        if pc.any(pc.or_(too_long, pc.match_substring_regex(column, _UNFIT))).as_py():
            raise BadInput(
                f"text in column {name!r} is too long for a cell or holds control characters; write Parquet or CSV"
            )
        return without_empty_text(column, name, _TITLE, notes)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_time(kind):
        return _calendar(column, name, notes)
    if pa.types.is_integer(kind):
        refuse_long_numbers(column, name, _TITLE)
    return as_doubles(column)


def _calendar(column: pa.ChunkedArray, name: str, notes: list[str]) -> pa.ChunkedArray:
    """Days from 1900 on and times to the millisecond, which is what sheets hold; days without time are dates."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        column = without_zone(column, name, notes)
    if not pa.types.is_date(kind) and not same(column, pc.floor_temporal(column, unit="millisecond")):
        raise BadInput(f"column {name!r} holds times finer than a millisecond, which XLSX cannot keep; write Parquet")
    if pa.types.is_time(kind):
        return column
    earliest = pc.min(pc.year(column)).as_py()
    if earliest is not None and earliest < _FIRST_YEAR:
        raise BadInput(f"column {name!r} holds days before 1900, which XLSX cannot keep; write Parquet or CSV")
    return as_dates(column, name, notes) if pa.types.is_timestamp(kind) else column


def write_xlsx(table: pa.Table, handle: BinaryIO) -> None:
    """Write the table through openpyxl, then pack its parts again without times and author."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.worksheet._writer import create_temporary_file

    book = Workbook(write_only=True)
    sheet = book.create_sheet("data")
    cells = _in_memory(sheet)

    def text(value: str) -> WriteOnlyCell:
        # text that begins with = or # is text, not a formula or an error
        cell = WriteOnlyCell(sheet, value)
        cell.data_type = "s"
        return cell

    def in_full(value: float) -> WriteOnlyCell:
        cell = WriteOnlyCell(sheet)
        cell._value = repr(value)
        return cell

    def number(value: float) -> float | WriteOnlyCell:
        # openpyxl writes 16 digits, which not every number survives
        return value if float(f"{value:.16g}") == value else in_full(value)

    sheet.append([text(name) for name in table.column_names])
    as_cell = [text if is_text(kind) else number if pa.types.is_floating(kind) else None for kind in table.schema.types]
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        columns = [
            [None if value is None else make(value) for value in column.to_pylist()] if make else column.to_pylist()
            for make, column in zip(as_cell, batch.columns, strict=True)
        ]
        for row in zip(*columns, strict=True):
            sheet.append(row)
    sheet.close()
    sheet._writer.out = create_temporary_file()  # empty: what openpyxl packs and removes
    packed = io.BytesIO()
    book.save(packed)
    _neutral(packed, handle, {sheet.path.lstrip("/"): cells.getvalue()})


def _in_memory(sheet: WriteOnlyWorksheet) -> io.BytesIO:
    """Where the cells of a sheet go: openpyxl would keep them in a file elsewhere, which a killed process leaves."""
    from openpyxl.worksheet._writer import WorksheetWriter

    cells = io.BytesIO()
    sheet._writer = WorksheetWriter(sheet, cells)
    sheet._writer.write_top()
    return cells


def _neutral(packed: io.BytesIO, handle: BinaryIO, parts: Mapping[str, bytes]) -> None:
    """The same workbook with some parts in the place of others, and without times and author."""
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(handle, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, _neutral_part(name, parts.get(name) or source.read(name)))


def _neutral_part(name: str, content: bytes) -> bytes:
    if name == "docProps/core.xml":
        return _PROPERTIES
    said = rb"<(Application|AppVersion)>[^<]*</\1>"
    return re.sub(said, b"", content) if name == "docProps/app.xml" else content
