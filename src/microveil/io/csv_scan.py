"""The shape of a CSV file: its rows, what is wrong with them, and which fields stand in quotes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints
from microveil.kernels.text.csv_rows import scan_rows


@dataclass(frozen=True)
class Scan:
    """What was seen: rows, where the last one ended, and per column how many fields are quoted, plain or numbers."""

    rows: int
    end: int
    fields: int
    longest: int
    bad_line: int
    bad_fields: int
    open_line: int
    next_line: int
    newlines_in_quotes: bool
    quoted: Ints
    plain: Ints
    whole: Ints

    @property
    def all_whole(self) -> list[bool]:
        """Which columns hold whole numbers only, outside quotes, of 64 bits and without zeros in front."""
        return list(map(bool, (self.whole > 0) & (self.whole == self.plain) & (self.quoted == 0)))


def scan(data: bytes | memoryview, delimiter: str, columns: int, *, line: int, most_rows: int = -1) -> Scan:
    """Look at every row; `columns` is the number of fields expected (0: as many as the first row has).

    The pass stops at the first row with another number of fields, whose line and count are told.
    """
    seen = np.frombuffer(data, dtype=np.uint8)
    if not columns:
        nothing = np.array([], dtype=np.int64)
        columns = scan_rows(seen, ord(delimiter), columns, line, most_rows, nothing, nothing, nothing).fields
    quoted, plain, whole = np.zeros((3, columns), dtype=np.int64)
    found = scan_rows(seen, ord(delimiter), columns, line, most_rows, quoted, plain, whole)
    return Scan(
        rows=found.rows,
        end=found.end,
        fields=found.fields,
        longest=found.longest,
        bad_line=found.bad_line,
        bad_fields=found.bad_fields,
        open_line=found.open_line,
        next_line=found.next_line,
        newlines_in_quotes=bool(found.broken_lines),
        quoted=quoted[: found.fields],
        plain=plain[: found.fields],
        whole=whole[: found.fields],
    )
