"""Writing CSV: text in quotes, numbers without, missing cells empty."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from microveil.core.errors import BadInput
from microveil.io.adapting import adapt, as_dates, as_doubles, in_seconds, is_text
from microveil.io.cleaning import Clean
from microveil.io.csv_delimiter import DELIMITERS

_LOOKS_LIKE_NUMBER = r"^\s*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?\s*$"
# words that other readers take for a missing value
_MISSING_WORDS = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "n/a", "<NA>", "#N/A", "")

# CSV cannot mark text as text for spreadsheet programs, and any quoting would change the data: such text is written as
# it is, with a note, unless `formulas="refuse"`.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_FORMULA = r"^[=+\-@\t\r]"


def for_csv(clean: Clean, formulas: str = "keep") -> Clean:
    """The table as CSV holds it, with notes where other programs would see something else."""
    adapted = adapt(clean, _column)
    notes = list(adapted.notes)
    first, *others = adapted.table.columns
    if first.null_count and not others:
        notes.append("records without a value are empty lines, which some readers skip")
    like_formulas = _like_formulas(adapted.table)
    if like_formulas:
        told = f"spreadsheet programs may run as a formula what begins with = + - @, tab or return: {like_formulas}"
        if formulas == "refuse":
            raise BadInput(f"{told}; change that text, write XLSX or Parquet, or keep it with formulas='keep'")
        notes.append(f"{told}; it was written as it is")
    return replace(adapted, notes=tuple(notes))


def _like_formulas(table: pa.Table) -> str:
    """The columns with text that a spreadsheet program may run, and the names that are such text; '' if none."""
    found = [f"the name {name!r}" for name in table.column_names if name.startswith(_FORMULA_STARTS)]
    for name, column in zip(table.column_names, table.columns, strict=True):
        if is_text(column.type):
            hits = pc.sum(pc.match_substring_regex(column, _FORMULA)).as_py() or 0
            found += [f"{hits} cell{'s' * (hits > 1)} of {name!r}"] if hits else []
    return ", ".join(found)


def _column(column: pa.ChunkedArray, name: str, notes: list[str]) -> pa.ChunkedArray:
    if pa.types.is_timestamp(column.type):
        return as_dates(in_seconds(column), name, notes)
    if not is_text(column.type):
        return as_doubles(column)
    words = pc.unique(column.combine_chunks()).drop_null()
    if pc.any(pc.match_substring(words, "\0")).as_py():
        raise BadInput(f"text in column {name!r} holds zero characters, which CSV cannot keep; write Parquet")
    if len(words) and pc.all(pc.match_substring_regex(words, _LOOKS_LIKE_NUMBER)).as_py():
        notes.append(
            f"text in {name!r} looks like numbers; it stands in quotes, but readers that ignore quotes make it numbers "
            "and drop leading zeros: Parquet keeps it everywhere"
        )
    if pc.any(pc.is_in(words, pa.array(_MISSING_WORDS, words.type))).as_py():
        notes.append(
            f"text in {name!r} holds words such as NA that some readers take for missing: Parquet keeps it everywhere"
        )
    return column


def write_csv(table: pa.Table, handle: BinaryIO, delimiter: str, compress: bool) -> None:
    """Write the table; floating numbers in the shortest form that gives the same bits back."""
    if compress:
        # no name and no time in the header
        with gzip.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0, compresslevel=6) as packed:
            _write(table, packed, delimiter)
    else:
        _write(table, handle, delimiter)


def _write(table: pa.Table, handle: BinaryIO | gzip.GzipFile, delimiter: str) -> None:
    header = delimiter.join(_name(name, delimiter) for name in table.column_names)
    handle.write(header.encode("utf-8") + b"\n")
    shown = pa.table([_shown(column) for column in table.columns], names=table.column_names)
    options = arrow_csv.WriteOptions(
        include_header=False, delimiter=delimiter, quoting_style="needed", batch_size=65536
    )
    arrow_csv.write_csv(shown, handle, options)


def _name(name: str, delimiter: str) -> str:
    """Names stand in quotes only where they must: a file that quotes all of them says nothing by its quotes."""
    special = {delimiter, *DELIMITERS, '"', "\n", "\r"}
    return '"' + name.replace('"', '""') + '"' if special & set(name) else name


def _shown(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Floating columns that happen to be whole keep a decimal point, so that they come back as they are."""
    if not pa.types.is_floating(column.type):
        return column
    numbers = column.drop_null().to_numpy()
    if not (np.abs(numbers) < 1e15).all() or not (numbers == np.rint(numbers)).all():
        return column
    return column.cast(pa.decimal128(38, 1))
