"""How large a thing may be that somebody hands to a reader: beyond these no file of records is, and memory ends.

`docs/release.md` tells them to users. What a compressed file may unpack to is in `microveil.io.unpacking`.
"""

from __future__ import annotations

from pathlib import Path

from microveil.core.errors import BadInput

MOST_COLUMNS = 32_767  # of any file; sheets have 16,384, SPSS 32,767
LONGEST_ROW = 1 << 24  # bytes of a row of a text file
MOST_ROWS_OF_SHEET = 1_048_576
MOST_PARTS = 10_000  # of a workbook
LONGEST_TEXT = 1 << 21  # characters of a project, a plan or another text that people write
DEEPEST = 50  # levels of such a text


def check_number_of_columns(path: Path, columns: int) -> None:
    """One clear line where there are more columns than any file of records has."""
    if columns > MOST_COLUMNS:
        raise BadInput(f"{str(path)!r} has {columns:,} columns, and {MOST_COLUMNS:,} is the most that is read")
