"""Audit: what Parquet and Feather files say beside their cells, and bytes in them that nobody reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.printable import one_line
from microveil.core.words import counted
from microveil.data.canonical import plain
from microveil.io.adapting import is_text
from microveil.package.audit_files import DataFile

_WRITER = re.compile(r"(?i)(parquet-(cpp-arrow|rs|mr)|polars|duckdb|fastparquet|arrow2)[\w .,()+-]{0,80}")
_ENDS = 12  # bytes of a Parquet file that are neither pages nor footer: its mark twice, and the length of the footer
_OF_TEXTS = 3  # buffers: which cells are there, where each text begins, the texts
_FIELD_ID = b"PARQUET:field_id"  # by which Parquet numbers its columns


def look_into_parquet(file: DataFile) -> Iterator[str]:
    """Metadata of file and columns, lists of categories, who wrote it, and bytes between its pages."""
    if file.format != "parquet":
        return
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(file.path) as opened:
        about, texts = opened.metadata, [field.name for field in opened.schema_arrow if is_text(field.type)]
        table = opened.read()
    yield from _descriptions(table.schema)
    yield from _categories(table)
    yield from _categories(pyarrow.parquet.read_table(file.path, read_dictionary=texts).select(texts))
    if about.created_by and not _WRITER.fullmatch(about.created_by):
        yield f"it says that it was written by {one_line(about.created_by)[:60]!r}"
    chunks = [
        about.row_group(row).column(col) for row in range(about.num_row_groups) for col in range(about.num_columns)
    ]
    pages = sum(chunk.total_compressed_size for chunk in chunks)
    indexed = any(chunk.has_offset_index or chunk.has_column_index for chunk in chunks)
    further = file.path.stat().st_size - _footer(file) - _ENDS - pages
    if further > 0 and not indexed:
        yield f"{counted(further, 'byte')} stand between its pages, where no reader looks"


def _footer(file: DataFile) -> int:
    with file.path.open("rb") as handle:
        handle.seek(-8, 2)
        return int.from_bytes(handle.read(4), "little")


def look_into_feather(file: DataFile) -> Iterator[str]:
    """Metadata of file, batches and columns, lists of categories, and values that stand under missing cells."""
    if file.format != "feather":
        return
    import pyarrow.feather

    table = pyarrow.feather.read_table(file.path, memory_map=False)
    yield from _descriptions(table.schema)
    yield from _categories(table)
    hidden = [name for name in table.column_names if any(map(_hides, table[name].chunks))]
    if hidden:
        yield f"values stand under missing cells of {', '.join(hidden)}"
    beside = [name for name in table.column_names if any(map(_holds_more, table[name].chunks))]
    if beside:
        yield f"bytes stand beside the cells of {', '.join(beside)}, where no reader looks"
    try:
        opened = pa.ipc.open_file(file.path)
    except pa.ArrowInvalid:
        return  # the first version of the format, which knows no batches
    said = [opened.get_batch_with_custom_metadata(batch).custom_metadata for batch in range(opened.num_record_batches)]
    if any(one is not None and len(one) for one in said):
        yield "its batches have metadata of their own"


def _hides(array: pa.Array) -> bool:
    """Whether cells that are missing hold a value all the same, which any program can read from the bytes."""
    if not array.null_count or array.buffers()[0] is None:
        return False
    buffers: list[pa.Buffer | None] = [None, *array.buffers()[1:]]
    if pa.types.is_nested(array.type) or pa.types.is_dictionary(array.type) or pa.types.is_null(array.type):
        return False
    bare = pa.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)
    under = bare.filter(pc.is_null(array))
    if is_text(array.type) or pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
        return bool(pc.any(pc.greater(pc.binary_length(under), 0)).as_py())
    return len(pc.unique(_without_nan(under))) > 1


def _holds_more(array: pa.Array) -> bool:
    """Whether the bytes of a column go beyond its cells, as those of a frame that was cut may; zeros only fill up."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary
    buffers, end = array.buffers(), array.offset + len(array)
    if not len(array) or buffers[-1] is None:
        return False
    if is_text(array.type) or pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
        wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
        if len(buffers) != _OF_TEXTS:
            return False  # views, which hold short texts in another way
        places = np.frombuffer(buffers[1], np.int64 if wide else np.int32)
        first, last = int(places[array.offset]), int(places[end])
    elif pa.types.is_primitive(array.type) and array.type.bit_width % 8 == 0:
        first, last = 0, end * array.type.bit_width // 8
    else:
        return False
    stored = buffers[-1].to_pybytes()
    return bool((stored[:first] + stored[last:]).strip(b"\0"))


def _without_nan(values: pa.Array) -> pa.Array:
    return values.filter(pc.invert(pc.is_nan(values))) if pa.types.is_floating(values.type) else values


def _descriptions(schema: pa.Schema) -> Iterator[str]:
    """Descriptions of the frame that a file came from: its index, its path, its attributes."""
    keys = sorted(key.decode(errors="replace") for key in (schema.metadata or {}) if key != b"ARROW:schema")
    if keys:
        yield f"its metadata hold {', '.join(keys)}"
    described = [field.name for field in schema if set(field.metadata or {}) - {_FIELD_ID}]
    if described:
        yield f"the columns {', '.join(described)} have metadata of their own"


def _categories(table: pa.Table) -> Iterator[str]:
    """Lists of categories may name some that no record has any more."""
    for name in table.column_names:
        column = table[name]
        if pa.types.is_dictionary(column.type):
            shown = set(plain(column).drop_null().to_pylist())
            listed = {value for chunk in column.chunks for value in chunk.dictionary.to_pylist()}
            if listed - shown - {None}:
                yield f"the column {name!r} lists categories that no record has"
