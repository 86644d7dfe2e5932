"""How much a compressed file may unpack to: a few megabytes can hide what no memory holds."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path

from microveil.core.errors import BadInput

VARIABLE = "MICROVEIL_MOST_UNPACKED"
_MOST = 2**35  # whatever the size of the file
_AT_ONCE = 1 << 24
# What always may be unpacked, and how many times its own size a larger file may unpack to. Real files of records
# shrink to a fifth or a twentieth. A cell of a sheet takes several times its text in memory.
_TEXT = (2**30, 200)
_SHEET = (2**28, 100)


def unpack(path: Path) -> bytes:
    """The bytes of a gzip file, unless they are too many."""
    most = _most(path, *_TEXT)
    found = io.BytesIO()
    with gzip.open(path, "rb") as handle:
        while part := handle.read(_AT_ONCE):
            found.write(part)
            if found.tell() > most:
                raise _too_much(path, most)
    return found.getvalue()


def check_sheet_size(path: Path) -> None:
    """Refuse a workbook whose parts are too large; readers take no more of a part than it announces."""
    most = _most(path, *_SHEET)
    with zipfile.ZipFile(path) as parts:
        if sum(part.file_size for part in parts.infolist()) > most:
            raise _too_much(path, most)


def check_cells(path: Path, cells: int) -> None:
    """Refuse a file of a statistical package that announces more numbers than it should hold."""
    most = _most(path, *_TEXT)
    if 8 * cells > most:
        raise _too_much(path, most)


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
