"""Columns of Arrow as doubles: each the nearest to the number that is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def nearest_doubles(array: pa.Array) -> pa.Array:
    """A column of numbers as doubles.

    Arrow divides decimal numbers by powers of ten and is off by a last digit in one of eight: 90.46 became
    90.46000000000001, which told a cell that was left as it is from one that was computed. Their text is read exactly.
    """
    import pyarrow as pa

    exact = array.cast(pa.large_string()) if pa.types.is_decimal(array.type) else array
    return exact.cast(pa.float64(), safe=False)
