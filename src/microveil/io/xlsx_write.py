"""Writing XLSX: one sheet, names in the first row, neutral properties."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.io.adapting import adapt, as_doubles, is_text, without_empty_text, without_zone
from microveil.io.cleaning import Clean

_TITLE = "XLSX"
_MOST_ROWS, _MOST_COLUMNS, _LONGEST_TEXT = 1_048_576, 16_384, 32_767
_ROWS_AT_ONCE = 1 << 14
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
            f"{rows} records and {columns} columns; a sheet holds {_MOST_ROWS - 1} and {_MOST_COLUMNS}: "
            "write Parquet or CSV"
        )
    return adapt(clean, _column)


def _column(column: Any, name: str, notes: list[str]) -> Any:
    kind = column.type
    if is_text(kind):
        too_long = (pc.max(pc.utf8_length(column)).as_py() or 0) > _LONGEST_TEXT
        if too_long or pc.any(pc.match_substring_regex(column, _UNFIT)).as_py():
            raise BadInput(
                f"text in column {name!r} is too long for a cell or holds control characters; write Parquet or CSV"
            )
        return without_empty_text(column, name, _TITLE, notes)
    if pa.types.is_timestamp(kind):
        return without_zone(column, name, notes)
    return as_doubles(column)


def write_xlsx(table: Any, handle: BinaryIO) -> None:
    """Write the table through openpyxl, then pack its parts again without times and author."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet("data")

    def text(value: str) -> Any:
        # text that begins with = or # is text, not a formula or an error
        cell = WriteOnlyCell(sheet, value)
        cell.data_type = "s"
        return cell

    sheet.append([text(name) for name in table.column_names])
    texts = [is_text(kind) for kind in table.schema.types]
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        columns = [
            [None if value is None else text(value) for value in column.to_pylist()] if words else column.to_pylist()
            for words, column in zip(texts, batch.columns, strict=True)
        ]
        for row in zip(*columns, strict=True):
            sheet.append(row)
    packed = io.BytesIO()
    book.save(packed)
    _neutral(packed, handle)


def _neutral(packed: io.BytesIO, handle: BinaryIO) -> None:
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(handle, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            content = _PROPERTIES if name == "docProps/core.xml" else source.read(name)
            if name == "docProps/app.xml":
                content = re.sub(rb"<(Application|AppVersion)>[^<]*</\1>", b"", content)
            target.writestr(entry, content)
