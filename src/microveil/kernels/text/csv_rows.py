"""One pass over the bytes of a CSV file: where rows and fields end, and which fields stand in quotes.

Quotes are read as in RFC 4180: they count only at the beginning of a field.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Int = NDArray[np.int64]

_QUOTE = 0x22
_LF = 0x0A
_CR = 0x0D


class Rows(NamedTuple):
    """What the pass met; a line number of 0 says that nothing of that sort is wrong."""

    rows: int
    fields: int
    end: int
    next_line: int
    longest: int
    broken_lines: int
    bad_line: int
    bad_fields: int
    open_line: int


@njit(cache=True, nogil=True)
def scan_rows(
    data: Bytes, delimiter: int, columns: int, first_line: int, most_rows: int, quoted: Int, plain: Int
) -> Rows:
    """Look at every row until one has another number of fields than `columns` (0: than the first row).

    `quoted` and `plain` count the fields of each column that stand in quotes, and the others that are not empty.
    """
    n = len(data)
    i, line, expected = 0, first_line, columns
    rows, fields, end, next_line, longest, broken_lines = 0, 0, 0, 0, 0, 0
    bad_line, bad_fields, open_line = 0, 0, 0
    while i < n and (most_rows < 0 or rows < most_rows):
        start, start_line = i, line
        i, met, breaks, closed = _scan_row(data, i, delimiter, quoted, plain)
        line += breaks
        broken_lines += breaks
        blank = i == start
        if closed and i < n:
            i = _past_line_break(data, i)
            line += 1
        end = i
        if not closed:
            open_line = start_line
            break
        next_line = line
        if blank and expected != 1:
            continue  # an empty line; with one column it is a missing value
        if expected == 0:
            expected = met
        if met != expected:
            bad_line, bad_fields = start_line, met
            break
        fields = expected
        rows += 1
        longest = max(longest, i - start)
    return Rows(rows, fields, end, next_line, longest, broken_lines, bad_line, bad_fields, open_line)


@njit(cache=True, nogil=True)
def _scan_row(data: Bytes, i: int, delimiter: int, quoted: Int, plain: Int) -> tuple[int, int, int, bool]:
    """Where the row ends, its fields, the line breaks inside quotes, and whether its last quote is closed."""
    n = len(data)
    field, breaks = 0, 0
    while True:
        begin = i
        in_quotes = i < n and data[i] == _QUOTE
        if in_quotes:
            i, more, closed = _past_quotes(data, i + 1)
            breaks += more
            if not closed:
                return i, field, breaks, False
        while i < n and data[i] != delimiter and data[i] != _LF and data[i] != _CR:
            i += 1
        if field < len(quoted):
            if in_quotes:
                quoted[field] += 1
            elif i > begin:
                plain[field] += 1
        field += 1
        if i >= n or data[i] != delimiter:
            return i, field, breaks, True
        i += 1


@njit(cache=True, nogil=True)
def _past_quotes(data: Bytes, i: int) -> tuple[int, int, bool]:
    """The place after the closing quote, the line breaks before it, and whether there is one."""
    n = len(data)
    breaks = 0
    while i < n:
        c = data[i]
        if c == _QUOTE:
            if i + 1 >= n or data[i + 1] != _QUOTE:
                return i + 1, breaks, True
            i += 1
        elif c == _LF or (c == _CR and not (i + 1 < n and data[i + 1] == _LF)):
            breaks += 1
        i += 1
    return i, breaks, False


@njit(cache=True, nogil=True)
def _past_line_break(data: Bytes, i: int) -> int:
    return i + 2 if data[i] == _CR and i + 1 < len(data) and data[i + 1] == _LF else i + 1
