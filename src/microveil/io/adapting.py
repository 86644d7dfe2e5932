"""What a format cannot hold is said or refused before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.io.cleaning import Clean

_EXACT_WHOLE = 2**53


def adapt(clean: Clean, change: Callable[[pa.ChunkedArray, str, list[str]], pa.ChunkedArray]) -> Clean:
    """The same table with every column as the format holds it; `change` adds notes on what differs."""
    notes: list[str] = []
    columns = {name: change(clean.table[name], name, notes) for name in clean.table.column_names}
    return replace(clean, table=pa.table(columns), notes=(*clean.notes, *notes))


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def as_doubles(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Single-precision numbers as the doubles that their shortest text means, other columns unchanged."""
    return column.cast(pa.string()).cast(pa.float64()) if column.type == pa.float32() else column


def as_dates(column: pa.ChunkedArray, name: str, notes: list[str]) -> pa.ChunkedArray:
    """Moments that are all at midnight, in no time zone, as dates: nobody measured that time of day."""
    if column.null_count == len(column) or column.type.tz is not None:
        return column
    if not same(column, pc.floor_temporal(column, unit="day")):
        return column
    notes.append(f"moments in {name!r} are all at midnight and were written as dates")
    return column.cast(pa.date32())


def in_seconds(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Moments in whole seconds where none is finer, so that no zeros follow them."""
    whole = same(column, pc.floor_temporal(column, unit="second"))
    return column.cast(pa.timestamp("s", column.type.tz)) if whole else column


def same(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    """Whether two columns agree wherever both hold a value."""
    return bool(pc.all(pc.equal(one, other), min_count=0).as_py())


def without_empty_text(column: pa.ChunkedArray, name: str, title: str, notes: list[str]) -> pa.ChunkedArray:
    """Empty text as missing, for formats that know no difference; both in one column would merge."""
    empty = pc.equal(column, "")
    if not pc.any(empty).as_py():
        return column
    if column.null_count:
        raise BadInput(
            f"column {name!r} has both empty text and missing values, which {title} cannot tell apart; "
            "write Parquet or CSV, or give empty text a word"
        )
    notes.append(f"empty text in {name!r} was written as missing: {title} knows no difference")
    return pc.if_else(empty, pa.scalar(None, column.type), column)


def tell_missing_text(column: pa.ChunkedArray, name: str, title: str, notes: list[str]) -> None:
    """Formats that store missing text as empty text: most readers give it back as a value."""
    # Guarantees about the released values alone (k, l, t) are checked in that reading, too, before the file is written.
    gaps = column.null_count
    if gaps:
        notes.append(
            f"missing text in {name!r} ({gaps} cell{'s' * (gaps > 1)}) was written as empty text: {title} knows no "
            "difference, and many readers take it for a value"
        )


def refuse_trailing_blanks(column: pa.ChunkedArray, name: str, title: str) -> None:
    """Formats that pad text with blanks cannot keep blanks at its end."""
    if (
        pc.any(pc.match_substring_regex(column, r"[ \x00]+$")).as_py()
        or pc.any(pc.match_substring(column, "\0")).as_py()
    ):
        raise BadInput(
            f"text in column {name!r} ends in blanks or holds zero characters, which {title} cannot keep; "
            "trim it, or write Parquet"
        )


def refuse_long_numbers(column: pa.ChunkedArray, name: str, title: str) -> None:
    """Whole numbers that a double cannot hold exactly would merge."""
    bounds = pc.min_max(column).as_py()
    if bounds["min"] is not None and max(abs(bounds["min"]), abs(bounds["max"])) > _EXACT_WHOLE:
        raise BadInput(
            f"column {name!r} holds whole numbers beyond 2^53, which {title} cannot keep; write Parquet or CSV"
        )


def without_zone(column: pa.ChunkedArray, name: str, notes: list[str]) -> pa.ChunkedArray:
    """Moments in UTC, without the name of a time zone."""
    if column.type.tz is not None:
        if column.type.tz != "UTC":
            notes.append(f"moments in {name!r} were written in UTC")
        return column.cast(pa.timestamp(column.type.unit))
    return column
