"""A column of any frame as Arrow values, or one clear error that names it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from microveil.core.errors import BadInput

if TYPE_CHECKING:
    import narwhals as nw

# pandas types whose values have no counterpart in Arrow, and a text that says them fully
_SAID_AS_TEXT = ("interval", "period")


def arrow_column(series: nw.Series[Any]) -> Any:
    """The column in Arrow, intervals and periods of pandas as their text."""
    import pyarrow as pa

    name = series.name
    series = _without_pandas_types(series)
    try:
        found = series.rename("values").to_arrow()
    except (pa.ArrowException, TypeError, ValueError) as problem:
        raise _unusable(series, name, str(problem)) from None
    if pa.types.is_nested(_of_values(found.type)) or isinstance(_of_values(found.type), pa.BaseExtensionType):
        raise BadInput(
            f"column {name!r} holds {found.type}; text, numbers, true/false, dates and times are allowed: convert it"
        )
    return found


def _of_values(kind: Any) -> Any:
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _unusable(series: nw.Series[Any], name: Any, problem: str) -> BadInput:
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


def without_stale_types(table: Any, before: Any) -> Any:
    """The table without what pandas once said about columns that have another type now: it could not go back."""
    metadata = dict(table.schema.metadata or {})
    try:
        told = json.loads(metadata[b"pandas"])
        known = list(told["columns"])
    except (KeyError, ValueError, TypeError, RecursionError):
        return table
    types = zip(table.column_names, table.schema.types, before.schema.types, strict=True)
    stale = {name for name, now, then in types if now != then}
    told["columns"] = [one for one in known if one.get("field_name", one.get("name")) not in stale]
    return table.replace_schema_metadata({**metadata, b"pandas": json.dumps(told).encode()})
