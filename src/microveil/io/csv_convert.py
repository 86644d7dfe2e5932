"""CSV files that need not fit into memory, converted once: cells and types are those of a file that is read whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

from microveil.core.errors import BadInput
from microveil.core.passes_told import told
from microveil.data.codebook import ReadAs
from microveil.io.csv_columns import TextParts
from microveil.io.csv_decimal import settle_decimal
from microveil.io.csv_decoded import decoded
from microveil.io.csv_parts import CsvText, HeldText, merged
from microveil.io.csv_read import quotes_needed
from microveil.io.csv_scan import Scan
from microveil.io.first_bytes import check_readable
from microveil.io.formats import format_of
from microveil.io.formats.format import Options, is_gzip
from microveil.io.odd_cells import odd_cells, words_for_missing

_GROUP_ROWS = 1 << 17


@dataclass(frozen=True)
class _All:
    """Several files as one, one behind the other."""

    files: Sequence[CsvText]
    shape: Scan

    @property
    def quotes_tell(self) -> bool:
        """Whether quotes say something: not where every field has them."""
        return bool(self.shape.plain.any() or any(file.header.plain.any() for file in self.files))

    def place_of(self, row: int) -> tuple[CsvText, int]:
        """The file and the line of a row."""
        for file in self.files:
            if row < file.rows:
                return file, file.line_of(row)
            row -= file.rows
        raise IndexError(row)


def csv_to_parquet(paths: Sequence[Path], options: Options, target: Path) -> ReadAs:
    """Write the records of CSV files with the same columns as one Parquet file, and tell how they were read.

    The folder of `target` is for what is held meanwhile too; nobody else may see into it.
    """
    with ExitStack() as opened:
        files = _opened(paths, dict(options.stated), target, opened)
        every = _All(files, merged([piece.seen for file in files for piece in file.pieces], len(files[0].names)))
        held = HeldText.written(target.with_name("fields"), files, every.shape)
        columns = {
            place: TextParts(
                name,
                lambda place=place: held.column(place),  # type: ignore[misc]
                every.quotes_tell,
                words_for_missing(options.missing, name),
                name in options.categories,
            )
            for place, name in enumerate(files[0].names)
            if not every.shape.all_whole[place] and not _quoted_text(every, held, place)
        }
        decimal = _decimal(every, columns, options.stated.get("decimal"))
        telling = {place: column.telling(decimal) for place, column in columns.items()}
        _write(held, files, columns, telling, decimal, target)
        _refuse_odd(every, columns, target, decimal)
    held.path.unlink()
    return ReadAs(files[0].encoding, files[0].delimiter, decimal)


def _opened(paths: Sequence[Path], stated: Mapping[str, Any], target: Path, opened: ExitStack) -> list[CsvText]:
    """The files, each closed in the end, whatever ends it; then what was made of its text beside `target` is gone."""
    files = []
    for number, path in enumerate(paths):
        kind = format_of(path)
        packed = is_gzip(path)
        check_readable(path, kind, packed)
        own = target.with_name(f"text-{number}")
        text = decoded(path, kind, packed, stated.get("encoding"), own)
        opened.callback(own.unlink, missing_ok=True)
        files.append(CsvText.of(path, kind, text, stated.get("delimiter"), stated.get("decimal")))
        opened.callback(files[-1].close)
        _refuse_other_columns(files[0], files[-1])
    return files


def _refuse_other_columns(first: CsvText, other: CsvText) -> None:
    if first.names != other.names:
        odd = sorted({*first.names} ^ {*other.names}) or ["in another order"]
        raise BadInput(
            f"{other.path.name} has other columns than {first.path.name}: {', '.join(odd[:5])}; give files with the "
            "same columns"
        )


def _quoted_text(every: _All, held: HeldText, place: int) -> bool:
    """Whether all fields of a column stand in quotes that say that it is text."""
    if not every.quotes_tell or not every.shape.quoted[place] or every.shape.plain[place]:
        return False
    delimiters = (file.delimiter for file in every.files for _ in file.pieces)
    return not all(quotes_needed(part, mark) for part, mark in zip(held.column(place), delimiters, strict=True))


def _decimal(every: _All, columns: dict[int, TextParts], told: str | None) -> str:
    # where commas separate, a decimal comma needs quotes
    between = next((file.delimiter for file in every.files if file.delimiter != ","), ",")
    asked = [
        column
        for place, column in columns.items()
        if not column.is_category and (every.shape.quoted[place] or between != ",")
    ]
    where = ", ".join(repr(str(file.path)) for file in every.files[:1])
    marks = ((column.name, column.marks()) for column in asked)
    return settle_decimal(marks, told, between, where, lambda row: every.place_of(row)[1])


def _write(
    held: HeldText,
    files: Sequence[CsvText],
    columns: dict[int, TextParts],
    telling: dict[int, pa.ChunkedArray],
    decimal: str,
    target: Path,
) -> None:
    writer = None
    for batch in told(held.batches(), "records", sum(file.rows for file in files), len):
        found = []
        for place, array in enumerate(batch.columns):
            part = pa.chunked_array([array])
            found.append(columns[place].converted(part, telling[place], decimal) if place in columns else part)
        table = pa.table(found, names=list(files[0].names))
        writer = writer or parquet.ParquetWriter(target, table.schema)
        writer.write_table(table, row_group_size=_GROUP_ROWS)
    if writer is not None:
        writer.close()


def _refuse_odd(every: _All, columns: dict[int, TextParts], target: Path, decimal: str) -> None:
    kinds = parquet.read_schema(target).types
    for place, column in columns.items():
        odd = column.odd(decimal) if pa.types.is_string(kinds[place]) else []
        if odd:
            file, line = every.place_of(column.row_of(odd))
            of = f" of {file.path.name}" if len(every.files) > 1 else ""
            raise odd_cells(column.name, odd, f"line {line}{of}")
