"""A column of any frame as Arrow values, or one clear error that names it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from microveil.core.errors import BadInput

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

# pandas types whose values have no counterpart in Arrow, and a text that says them fully
_SAID_AS_TEXT = ("interval", "period")


def arrow_column(series: nw.Series[Any]) -> pa.Array | pa.ChunkedArray:
    """The column in Arrow, intervals and periods of pandas as their text."""
    import pyarrow as pa

    name = series.name
    series = _without_pandas_types(series)
    if series.implementation.is_polars() and str(series.dtype) == "Object":
        raise _unusable(series, name, "")  # it would come as addresses in memory
    try:
        found = series.rename("values").to_arrow()
    except OverflowError:
        raise BadInput(f"column {name!r} holds whole numbers of more than 64 bits; convert it to text") from None
    except (pa.ArrowException, TypeError, ValueError) as problem:
        raise _unusable(series, name, str(problem)) from None
    if pa.types.is_nested(_of_values(found.type)) or isinstance(_of_values(found.type), pa.BaseExtensionType):
        raise BadInput(
            f"column {name!r} holds {found.type}; text, numbers, true/false, dates and times are allowed: convert it"
        )
    return found


def _of_values(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _unusable(series: nw.Series[Any], name: str, problem: str) -> BadInput:
    held = str(series.to_native().dtype if series.implementation.is_pandas_like() else series.dtype)
    if "complex" in held:
        return BadInput(f"column {name!r} holds complex numbers; split it into two columns of plain numbers")
    if held == "object" or "Object" in held:
        return BadInput(f"column {name!r} mixes types such as text and numbers; make it one type")
    return BadInput(
        f"column {name!r} holds {held}, which cannot be used ({problem.rstrip('.')}); text, numbers, true/false, "
        "dates and times are allowed: convert it"
    )


def _without_pandas_types(series: nw.Series[Any]) -> nw.Series[Any]:
    if not series.implementation.is_pandas_like():
        return series
    import narwhals as nw

    native = series.to_native()
    if str(native.dtype).startswith(_SAID_AS_TEXT):
        return nw.from_native(native.astype("string"), series_only=True)
    if native.dtype == "category" and str(native.cat.categories.dtype).startswith(_SAID_AS_TEXT):
        texts = [str(category) for category in native.cat.categories]
        return nw.from_native(native.cat.rename_categories(texts), series_only=True)
    return series


def with_arrays(table: pa.Table, arrays: Mapping[str, pa.Array | pa.ChunkedArray]) -> pa.Table:
    """The Arrow table with some columns replaced."""
    import pyarrow as pa

    if arrays.keys() - set(table.column_names):
        raise BadInput(f"there is no column {next(iter(arrays.keys() - set(table.column_names)))!r} to replace")
    chosen = [arrays.get(name, column) for name, column in zip(table.column_names, table.columns, strict=True)]
    fields = [
        pa.field(before.name, column.type) if before.name in arrays else before
        for before, column in zip(table.schema, chosen, strict=True)
    ]
    stale = {now.name for now, before in zip(fields, table.schema, strict=True) if now.type != before.type}
    return pa.table(chosen, schema=pa.schema(fields, _without_stale_types(table.schema.metadata, stale)))


def _without_stale_types(metadata: Mapping[bytes, bytes] | None, stale: set[str]) -> Mapping[bytes, bytes] | None:
    """Without what pandas once said about columns that have another type now: they could not go back to it."""
    try:
        told = json.loads((metadata or {})[b"pandas"])
        told["columns"] = [one for one in told["columns"] if one.get("field_name", one.get("name")) not in stale]
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        return metadata
    return {**(metadata or {}), b"pandas": json.dumps(told).encode()}
