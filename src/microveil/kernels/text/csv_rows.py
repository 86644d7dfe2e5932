"""One pass over the bytes of a CSV file: where rows and fields end, which stand in quotes, which are whole numbers.

Quotes are read as in RFC 4180: they count only at the beginning of a field.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Bytes, Ints
from microveil.core.compiling import compiled

Place = np.uint64  # without a sign: a place that may be negative costs a comparison at every byte

_QUOTE = 0x22
_LF = 0x0A
_CR = 0x0D
_MINUS = 0x2D
_ZERO = np.uint8(0x30)
_TEN = np.uint8(10)
_ONE = Place(1)
_MOST_DIGITS = Place(18)  # every number of so many digits has 64 bits


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


@compiled
def scan_rows(
    data: Bytes, delimiter: int, columns: int, first_line: int, most_rows: int, quoted: Ints, plain: Ints, whole: Ints
) -> Rows:
    """Look at every row until one has another number of fields than `columns` (0: than the first row).

    `quoted` and `plain` count the fields of each column that stand in quotes, and the others that are not empty;
    `whole` counts those plain ones that are digits only, a minus before them allowed, without zeros in front.
    """
    n = Place(len(data))
    mark = np.uint8(delimiter)
    ends = np.zeros(256, dtype=np.bool_)
    ends[delimiter] = ends[_LF] = ends[_CR] = True
    i, line, expected = Place(0), first_line, columns
    rows, fields, next_line, broken_lines = 0, 0, 0, 0
    end, longest = Place(0), Place(0)
    bad_line, bad_fields, open_line = 0, 0, 0
    while i < n and (most_rows < 0 or rows < most_rows):
        start, start_line = i, line
        i, met, breaks, closed = _scan_row(data, i, mark, ends, quoted, plain, whole)
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
    return Rows(
        rows,
        fields,
        int(np.int64(end)),
        next_line,
        int(np.int64(longest)),
        broken_lines,
        bad_line,
        bad_fields,
        open_line,
    )


@compiled
def _scan_row(
    data: Bytes, i: Place, delimiter: np.uint8, ends: Bools, quoted: Ints, plain: Ints, whole: Ints
) -> tuple[Place, int, int, bool]:
    """Where the row ends, its fields, the line breaks inside quotes, and whether its last quote is closed."""
    n, counted = Place(len(data)), Place(len(quoted))
    field, breaks = Place(0), 0
    while True:
        begin = i
        if i < n and data[i] == _QUOTE:
            i, more, closed = _past_quotes(data, i + _ONE)
            breaks += more
            if not closed:
                return i, int(np.int64(field)), breaks, False
            while i < n and not ends[data[i]]:
                i += _ONE
            if field < counted:
                quoted[field] += 1
        else:
            i, is_whole = _past_digits(data, i)
            if i < n and not ends[data[i]]:
                is_whole = False
                while i < n and not ends[data[i]]:
                    i += _ONE
            if field < counted:
                plain[field] += i > begin
                whole[field] += is_whole
        field += _ONE
        if i >= n or data[i] != delimiter:
            return i, int(np.int64(field)), breaks, True
        i += _ONE


@compiled
def _past_digits(data: Bytes, i: Place) -> tuple[Place, bool]:
    """The place after a minus and digits, and whether these are a number of 64 bits without zeros in front."""
    n = Place(len(data))
    if i < n and data[i] == _MINUS:
        i += _ONE
    first = i
    # what is below the digits wraps to what is far above them
    while i < n and np.uint8(data[i] - _ZERO) < _TEN:
        i += _ONE
    digits = i - first
    return i, bool(digits == _ONE or (_ONE < digits <= _MOST_DIGITS and data[first] != _ZERO))


@compiled
def _past_quotes(data: Bytes, i: Place) -> tuple[Place, int, bool]:
    """The place after the closing quote, the line breaks before it, and whether there is one."""
    n = Place(len(data))
    breaks = 0
    while i < n:
        c = data[i]
        if c == _QUOTE:
            if i + _ONE >= n or data[i + _ONE] != _QUOTE:
                return i + _ONE, breaks, True
            i += _ONE
        elif c <= _CR and (c == _LF or (c == _CR and not (i + _ONE < n and data[i + _ONE] == _LF))):
            breaks += 1
        i += _ONE
    return i, breaks, False


@compiled
def _past_line_break(data: Bytes, i: Place) -> Place:
    pair = data[i] == _CR and i + _ONE < Place(len(data)) and data[i + _ONE] == _LF
    return i + _ONE + _ONE if pair else i + _ONE
