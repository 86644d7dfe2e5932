"""One form for the values of a column, whatever library or file they come from.

Numbers are numbers whether stored whole or floating, categories are their values, a missing cell is
missing however it is marked. Two columns are the same when their canonical forms are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.arrays import AnyArray, Bools
from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.data.arrow import arrow_column
from microveil.data.doubles import nearest_doubles

_EXACT_WHOLE = 2**53


@dataclass(frozen=True)
class Canonical:
    """Kind of values, which cells hold one, and the values (text: Arrow text; else numbers, 0 where missing)."""

    kind: str
    valid: Bools
    values: Any  # an Arrow array of text, or a NumPy array

    @property
    def wide(self) -> bool:
        """Whether values need more than a double or a microsecond."""
        return self.kind == "long number" or self.kind.startswith("fine ")

    def equals(self, other: Canonical) -> bool:
        """Whether both hold the same values; columns without any value are alike whatever their type."""
        if not np.array_equal(self.valid, other.valid):
            return False
        if not self.valid.any():
            return True
        if self.kind != other.kind:
            return False
        if self.kind == "text":
            return bool(self.values.equals(other.values))
        return bool(np.array_equal(self.values, other.values))


def arrow_of(series: nw.Series[Any]) -> pa.Array:
    """A column of any frame as one Arrow array of plain values (categories decoded)."""
    return plain(arrow_column(series))


def plain(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """An Arrow column in one piece, categories decoded, text in one type."""
    if pa.types.is_dictionary(array.type):
        array = array.cast(without_views(array.type)).cast(without_views(array.type.value_type))
    if _is_text(array.type):
        array = array.cast(pa.large_string())
    if pa.types.is_null(array.type):
        array = array.cast(pa.large_string())
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def without_views(kind: pa.DataType) -> pa.DataType:
    """A type whose texts stand one behind the other: of views, in which polars writes them, Arrow computes little."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, without_views(kind.value_type), kind.ordered)
    return pa.large_string() if pa.types.is_string_view(kind) else kind


def schema_without_views(schema: pa.Schema) -> pa.Schema:
    """The same columns, none of them with texts as views."""
    return pa.schema([field.with_type(without_views(field.type)) for field in schema], schema.metadata)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def canonical(array: pa.Array | pa.ChunkedArray, name: str = "", wide: bool = False) -> Canonical:
    """The canonical form of an Arrow column.

    `wide`: some values of its file, of which this is a part, need more than a double or a microsecond.
    """
    array = plain(array)
    kind = array.type
    valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=np.bool_)
    if _is_text(kind):
        return Canonical("text", valid, pc.fill_null(array, ""))
    if pa.types.is_boolean(kind):
        return Canonical("boolean", valid, _filled(array, False).astype(np.uint8))
    if pa.types.is_integer(kind):
        return _whole(array, valid, wide)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = _filled(nearest_doubles(array), 0.0)
        valid = valid & ~np.isnan(numbers)
        return Canonical("number", valid, np.where(valid, numbers, 0.0) + 0.0)
    if pa.types.is_date(kind):
        return Canonical("date", valid, _filled(array.cast(pa.date32()).cast(pa.int32()), 0).astype(np.int64))
    if pa.types.is_timestamp(kind):
        return _ticks(array, valid, "moment", pa.timestamp("us", kind.tz), pa.timestamp("ns", kind.tz), wide)
    if pa.types.is_time(kind):
        return _ticks(array, valid, "time", pa.time64("us"), pa.time64("ns"), wide)
    raise BadInput(f"column {name!r} holds {kind}; text, numbers, true/false, dates and times are allowed: convert it")


def _filled(array: pa.Array, value: Cell) -> AnyArray:
    filled = pc.fill_null(array, pa.scalar(value, array.type))
    return np.array(filled.to_numpy(zero_copy_only=False))


def _whole(array: pa.Array, valid: Bools, wide: bool) -> Canonical:
    values = _filled(array, 0)
    if wide or (len(values) and (values.max() > _EXACT_WHOLE or (values.min() < 0 and values.min() < -_EXACT_WHOLE))):
        return Canonical("long number", valid, values)
    return Canonical("number", valid, values.astype(np.float64))


def _ticks(array: pa.Array, valid: Bools, kind: str, coarse: pa.DataType, fine: pa.DataType, wide: bool) -> Canonical:
    try:
        if wide:
            return Canonical(f"fine {kind}", valid, _filled(array.cast(fine).cast(pa.int64()), 0))
        return Canonical(kind, valid, _filled(array.cast(coarse).cast(pa.int64()), 0))
    except pa.ArrowInvalid:
        return Canonical(f"fine {kind}", valid, _filled(array.cast(fine).cast(pa.int64()), 0))
