"""One pass over the bytes of a CSV file: shape of the rows and which fields stand in quotes.

Quotes are read as in RFC 4180: they count only at the beginning of a field.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

_QUOTE = 0x22
_LF = 0x0A
_CR = 0x0D

# places in the array of findings
_ROWS, _END, _BAD_LINE, _BAD_FIELDS, _LONGEST, _BROKEN_LINES, _OPEN_LINE, _FIELDS, _NEXT_LINE = range(9)


@dataclass(frozen=True)
class Scan:
    """What was seen: rows, where the last one ended, and per column how many fields are quoted or plain."""

    rows: int
    end: int
    fields: int
    longest: int
    bad_line: int
    bad_fields: int
    open_line: int
    next_line: int
    newlines_in_quotes: bool
    quoted: NDArray[np.int64]
    plain: NDArray[np.int64]


def scan(data: bytes | memoryview, delimiter: str, columns: int, *, line: int = 1, most_rows: int = -1) -> Scan:
    """Look at every row; `columns` is the number of fields expected (0: as many as the first row has).

    The pass stops at the first row with another number of fields, whose line and count are told.
    """
    seen = np.frombuffer(data, dtype=np.uint8)
    if not columns:
        first = np.zeros(9, dtype=np.int64)
        _scan(seen, ord(delimiter), 0, line, 1, np.zeros(0, np.int64), np.zeros(0, np.int64), first)
        columns = int(first[_FIELDS])
    quoted, plain = np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64)
    found = np.zeros(9, dtype=np.int64)
    _scan(seen, ord(delimiter), columns, line, most_rows, quoted, plain, found)
    fields = int(found[_FIELDS])
    return Scan(
        int(found[_ROWS]),
        int(found[_END]),
        fields,
        int(found[_LONGEST]),
        int(found[_BAD_LINE]),
        int(found[_BAD_FIELDS]),
        int(found[_OPEN_LINE]),
        int(found[_NEXT_LINE]),
        bool(found[_BROKEN_LINES]),
        quoted[:fields],
        plain[:fields],
    )


@njit(cache=True, nogil=True)
def _scan(data, delimiter, columns, first_line, most_rows, quoted, plain, found):  # type: ignore[no-untyped-def]
    n = len(data)
    i = 0
    line = first_line
    expected = columns
    while i < n and (most_rows < 0 or found[_ROWS] < most_rows):
        start, start_line, field = i, line, 0
        ended = False
        while not ended:
            begin = i
            in_quotes = i < n and data[i] == _QUOTE
            if in_quotes:
                i += 1
                closed = False
                while i < n:
                    c = data[i]
                    if c == _QUOTE:
                        if i + 1 < n and data[i + 1] == _QUOTE:
                            i += 1
                        else:
                            closed = True
                            i += 1
                            break
                    elif c == _LF or (c == _CR and not (i + 1 < n and data[i + 1] == _LF)):
                        line += 1
                        found[_BROKEN_LINES] = 1
                    i += 1
                if not closed:
                    found[_OPEN_LINE] = start_line
                    found[_END] = i
                    return
            while i < n and data[i] != delimiter and data[i] != _LF and data[i] != _CR:
                i += 1
            if field < len(quoted):
                if in_quotes:
                    quoted[field] += 1
                elif i > begin:
                    plain[field] += 1
            field += 1
            if i < n and data[i] == delimiter:
                i += 1
            else:
                ended = True
        blank = i == start
        if i < n:
            i += 2 if data[i] == _CR and i + 1 < n and data[i + 1] == _LF else 1
            line += 1
        found[_NEXT_LINE] = line
        found[_END] = i
        if blank and expected != 1:
            continue  # an empty line; with one column it is a missing value
        if expected == 0:
            expected = field
        if field != expected:
            found[_BAD_LINE] = start_line
            found[_BAD_FIELDS] = field
            return
        found[_FIELDS] = expected
        found[_ROWS] += 1
        found[_LONGEST] = max(found[_LONGEST], i - start)
