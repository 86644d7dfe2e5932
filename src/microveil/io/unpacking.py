"""How much a compressed file may unpack to: a few megabytes can hide what no memory holds."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

from microveil.core.errors import BadInput
from microveil.io.limits import MOST_COLUMNS, MOST_PARTS, MOST_ROWS_OF_SHEET

VARIABLE = "MICROVEIL_MOST_UNPACKED"
# Files are read in many places, and again after writing: hence a variable of the environment. Deflate packs up to
# 1000-fold.
_MOST = 2**35  # whatever the size of the file
_AT_ONCE = 1 << 24
# What always may be unpacked, and how many times its own size a larger file may unpack to. Real files of records
# shrink to a fifth or a twentieth. A cell of a sheet takes several times its text in memory.
_TEXT = (2**30, 200)
_SHEET = (2**28, 100)


def unpack(path: Path) -> bytes:
    """The bytes of a gzip file, unless they are too many."""
    found = io.BytesIO()
    for part in unpacked_parts(path):
        found.write(part)
    return found.getvalue()


def unpacked_parts(path: Path) -> Iterator[bytes]:
    """The bytes of a gzip file, some at a time, unless they are too many."""
    most = _most(path, *_TEXT)
    unpacked = 0
    with gzip.open(path, "rb") as handle:
        while part := handle.read(_AT_ONCE):
            unpacked += len(part)
            if unpacked > most:
                raise _too_much(path, most)
            yield part


def check_sheet_size(path: Path) -> None:
    """Refuse a workbook whose parts are too large; readers take no more of a part than it announces."""
    most = _most(path, *_SHEET)
    with zipfile.ZipFile(path) as parts:
        found = parts.infolist()
        if len(found) > MOST_PARTS:
            raise BadInput(f"{str(path)!r} has {len(found):,} parts, and {MOST_PARTS:,} is the most that is read")
        if sum(part.file_size for part in found) > most:
            raise _too_much(path, most)


def check_cells_of_sheet(path: Path, rows: int, columns: int) -> None:
    """Refuse a sheet whose last cell is so far away that empty cells before it would fill the memory."""
    if rows > MOST_ROWS_OF_SHEET or columns > MOST_COLUMNS:
        raise BadInput(
            f"{str(path)!r} has a cell in row {rows:,} and one in column {columns:,}, and a sheet has "
            f"{MOST_ROWS_OF_SHEET:,} rows and {MOST_COLUMNS:,} columns at most"
        )
    most = _most(path, *_SHEET)
    if 8 * rows * columns > most:
        raise _too_much(path, most)


def check_bytes(path: Path, size: int) -> None:
    """Refuse a packed file of columns that unpacks to too many bytes."""
    most = most_bytes(path)
    if size > most:
        raise _too_much(path, most)


def most_bytes(path: Path) -> int:
    """How many bytes a packed file may unpack to."""
    return _most(path, *_TEXT)


def check_cells(path: Path, cells: int) -> None:
    """Refuse a file of a statistical package that announces more numbers than it should hold."""
    check_bytes(path, 8 * cells)


def _most(path: Path, always: int, ratio: int) -> int:
    told = os.environ.get(VARIABLE)
    if told is None:
        return min(_MOST, max(always, ratio * path.stat().st_size))
    if not told.isdecimal() or int(told) == 0:
        raise BadInput(f"{VARIABLE} is {told!r}; give a number of bytes, or leave it unset")
    return int(told)


def _too_much(path: Path, most: int) -> BadInput:
    return BadInput(
        f"{str(path)!r} has {path.stat().st_size} bytes and unpacks to more than {most}, as files made to exhaust "
        f"memory do; if it is sound, set the environment variable {VARIABLE} to the bytes it may unpack to"
    )
