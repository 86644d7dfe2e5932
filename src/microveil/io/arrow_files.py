"""Parquet and Feather through Arrow: values only, without any metadata of their writer."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet

from microveil.core.errors import BadInput, MicroveilError
from microveil.data.canonical import schema_without_views
from microveil.io.arrow_sizes import check_feather_size, check_parquet_size, decoded
from microveil.io.formats.format import Format, check_not_empty, tell_damage
from microveil.io.names import check_column_names
from microveil.io.reading_apart import read_apart

_STREAM = b"\xff\xff\xff\xff"  # how the stream form of Arrow files begins
_FIRST_VERSION = b"FEA1"
# Arrow checks nothing in a file of the first version: damage makes it read beyond its memory, and the process crashes.
_READ_FIRST_VERSION = "from pyarrow.feather import read_table; table = read_table(path)\n"


def read_arrow(path: Path, kind: Format, table_of: Callable[[Path], pa.Table]) -> pa.Table:
    """A file that Arrow reads by `table_of`; the unnamed row index of a pandas frame is left out."""
    try:
        table = table_of(path)
        table.validate(full=True)
        table = table.cast(schema_without_views(table.schema))
        names = table.column_names
    except MicroveilError:
        raise
    # Arrow's errors derive from ValueError, OSError and others, depending on where the damage is
    except (pa.ArrowException, ValueError, OSError, EOFError):
        raise tell_damage(path, kind) from None
    check_column_names(path, names, "the schema")
    table = table.drop_columns(unnamed_index(table.schema))
    check_not_empty(path, table.num_columns, table.num_rows)
    for place in table.schema:
        if pa.types.is_nested(place.type):
            raise BadInput(f"{str(path)!r}: column {place.name!r} holds {place.type}; only plain columns can be read")
    return table.replace_schema_metadata(None)


def parquet_table(path: Path) -> pa.Table:
    """A Parquet file as it is, unless it unpacks to too much."""
    with parquet.ParquetFile(path) as file:
        doubtful = check_parquet_size(path, file)
        if not doubtful:
            return file.read()
        schema = file.schema_arrow
    with parquet.ParquetFile(path, read_dictionary=doubtful) as file:
        return decoded(path, file.read(), doubtful, schema)


def feather_table(path: Path) -> pa.Table:
    """A Feather file as it is, of any version, or a stream, unless it unpacks to too much."""
    with path.open("rb") as handle:
        start = handle.read(4)
    if start == _FIRST_VERSION:
        return read_apart(path, _READ_FIRST_VERSION)
    batches = check_feather_size(path, start == _STREAM)
    if start == _STREAM:
        with pa.memory_map(str(path)) as source:
            return ipc.open_stream(source).read_all()
    with pa.memory_map(str(path)) as source, ipc.open_file(source) as file:
        if file.num_record_batches != batches:
            raise ValueError("its list of contents does not fit its contents")
        return file.read_all()


def unnamed_index(schema: pa.Schema) -> list[str]:
    """The columns that hold the row index of a pandas frame, where it has no name."""
    raw = (schema.metadata or {}).get(b"pandas")
    if not raw:
        return []
    try:
        index = json.loads(raw).get("index_columns", [])
    except (ValueError, AttributeError, RecursionError):
        return []
    return [
        name for name in index if isinstance(name, str) and name.startswith("__index_level_") and name in schema.names
    ]


def write_parquet(table: pa.Table, handle: BinaryIO) -> None:
    """Write Parquet without the Arrow schema and any key-value metadata."""
    parquet.write_table(table, handle, store_schema=False, compression="zstd")


def write_feather(
    table: pa.Table, handle: BinaryIO, levels: Mapping[str, list[object]], ordered: Collection[str]
) -> None:
    """Write Feather; categories are encoded anew from the values that occur."""
    for name, present in levels.items():
        place = table.column_names.index(name)
        encoded = _encoded(table[name], present, name in ordered)
        table = table.set_column(place, pa.field(name, encoded.type), encoded)
    options = ipc.IpcWriteOptions(compression="zstd")
    with ipc.new_file(handle, table.schema, options=options) as writer:
        writer.write_table(table)


def _encoded(column: pa.ChunkedArray, present: list[object], ordered: bool) -> pa.Array:
    values = pa.array(present, column.type)
    codes = pc.index_in(column.combine_chunks(), values).cast(pa.int32())
    return pa.DictionaryArray.from_arrays(codes, values, ordered=ordered)
