"""Which rows of a table are equal to the bit of their values."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints, Words
from microveil.core.ordering import distinct
from microveil.kernels.moments.central import row_blocks
from microveil.kernels.tables.classes import first_rows

_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads neighbouring numbers (Knuth, vol. 3)
_HALF = np.uint64(32)


def first_equal_rows(Y: Floats) -> Ints:
    """For each row the first row that equals it.

    By a number for each row that equal rows share; should different rows share one, the rows are sorted instead.
    """
    _, of_row, counts = distinct(_row_numbers(Y))
    found = first_rows(of_row, len(counts))[of_row]
    if all((column[found] == column).all() for column in Y.T):
        return found
    _, first, of_row = np.unique(Y, axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[of_row.reshape(-1)], dtype=np.int64)


def _row_numbers(Y: Floats) -> Words:
    """A mix of the bits of each row."""
    numbers = np.zeros(len(Y), dtype=np.uint64)
    for rows in row_blocks(Y):
        mixed = numbers[rows]
        for column in Y[rows].T:
            # 0 and -0 are equal and differ in a bit: adding 0 makes them one
            mixed ^= (column + 0.0).view(np.uint64)
            mixed *= _ODD
            mixed ^= mixed >> _HALF
    return numbers
