"""How much a Parquet or Feather file unpacks to, told before it is unpacked."""

from __future__ import annotations

import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet

from microveil.io.limits import check_number_of_columns
from microveil.io.unpacking import check_bytes, most_bytes

_FILE_START = 8  # after which an Arrow file goes on as a stream does
_MAGIC, _LENGTH = b"ARROW1", 4  # at the end of a file, behind the length of its list of contents
_LEAST_MESSAGE = 32  # bytes: no schema takes less
_DICTIONARIES_LISTED, _RECORDS_LISTED = 2, 3  # fields of the list of contents
_DICTIONARY, _RECORDS = 2, 3  # kinds of messages
_OFFSETS = 4  # bytes that a text takes whatever its length


def check_parquet_size(path: Path, file: parquet.ParquetFile) -> list[str]:
    """Refuse too many records; the columns of text of which only reading them as categories tells the size."""
    told, schema = file.metadata, file.schema_arrow
    check_number_of_columns(path, len(schema))
    check_bytes(path, told.num_rows * int(sum(_width(field.type) for field in schema)))
    # of a group as a whole: asked for the columns of a damaged one, Arrow ends the process
    longest = max((told.row_group(number).total_byte_size for number in range(told.num_row_groups)), default=0)
    doubtful = told.num_rows * longest > most_bytes(path)
    return [field.name for field in schema if doubtful and _is_text(field.type)]


def decoded(path: Path, table: pa.Table, names: list[str], schema: pa.Schema) -> pa.Table:
    """The table with these columns as text instead of categories, unless that is too much."""
    for name in names:
        chunks = [chunk for chunk in table[name].chunks if pa.types.is_dictionary(chunk.type)]
        lengths = (pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() or 0 for chunk in chunks)
        check_bytes(path, sum(lengths))
        table = table.set_column(table.column_names.index(name), name, table[name].cast(schema.field(name).type))
    return table.cast(schema)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind))


def _width(kind: pa.DataType) -> float:
    try:
        return float(kind.bit_width / 8)
    except ValueError:
        return _OFFSETS


def check_feather_size(path: Path, is_stream: bool) -> int:
    """Refuse a file whose parts say that they unpack to too much; how many of them hold records."""
    total = batches = 0
    with pa.memory_map(str(path)) as source:
        if not is_stream:
            source.seek(_first_message(source))
        for message in ipc.MessageReader.open_stream(source):
            kind, size = _unpacked(bytes(message.metadata), message.body)
            total, batches = total + size, batches + (kind == _RECORDS)
            check_bytes(path, total)
    return batches


def _first_message(source: pa.MemoryMappedFile) -> int:
    """Where the messages of an Arrow file begin.

    Behind the first bytes stands the schema, as a message. Polars puts it there without the frame of one, so that its
    first number is no length; where its first part begins stands at the end of the file.
    """
    source.seek(_FILE_START)
    if int.from_bytes(source.read(_LENGTH), "little") >= _LEAST_MESSAGE:
        return _FILE_START
    source.seek(source.size() - len(_MAGIC) - _LENGTH)
    length = int.from_bytes(source.read(_LENGTH), "little")
    end = source.size() - len(_MAGIC) - _LENGTH - length
    source.seek(max(end, 0))
    return min(_parts(source.read(length)), default=end)


def _parts(footer: bytes) -> list[int]:
    """Where the parts of an Arrow file begin that its end lists; ValueError for damage."""
    places: list[int] = []
    try:
        root = struct.unpack_from("<I", footer, 0)[0]
        for listed in (_DICTIONARIES_LISTED, _RECORDS_LISTED):
            if _place(footer, root, listed):
                parts = _inner(footer, root, listed)
                count = struct.unpack_from("<I", footer, parts)[0]
                places += [struct.unpack_from("<q", footer, parts + 4 + 24 * number)[0] for number in range(count)]
    except (struct.error, IndexError):
        raise ValueError("its list of contents is damaged") from None
    return places


def _unpacked(head: bytes, body: pa.Buffer | None) -> tuple[int, int]:
    """The kind of a message, and the bytes that its buffers take when they are unpacked; ValueError for damage."""
    try:
        message = struct.unpack_from("<I", head, 0)[0]
        kind = head[_place(head, message, 1)] if _place(head, message, 1) else 0
        if kind not in (_DICTIONARY, _RECORDS) or body is None:
            return kind, 0
        records = _inner(head, message, 2)
        if kind == _DICTIONARY:
            records = _inner(head, records, 1)
        buffers = _inner(head, records, 2)
        count = struct.unpack_from("<I", head, buffers)[0]
        packed = bool(_place(head, records, 3))
        places = (struct.unpack_from("<qq", head, buffers + 4 + 16 * number) for number in range(count))
        return kind, sum(_size(body, start, length, packed) for start, length in places)
    except (struct.error, IndexError):
        raise ValueError("a message is damaged") from None


def _place(head: bytes, table: int, field: int) -> int:
    """Where a field of a table stands (FlatBuffers); 0 if it is left out."""
    fields = table - struct.unpack_from("<i", head, table)[0]
    if fields < 0 or 4 + 2 * field >= struct.unpack_from("<H", head, fields)[0]:
        return 0
    offset: int = struct.unpack_from("<H", head, fields + 4 + 2 * field)[0]
    return table + offset if offset else 0


def _inner(head: bytes, table: int, field: int) -> int:
    """Where the table or list begins that a field leads to."""
    place = _place(head, table, field)
    if not place:
        raise ValueError("a message is damaged")
    inner: int = place + struct.unpack_from("<I", head, place)[0]
    return inner


def _size(body: pa.Buffer, start: int, length: int, packed: bool) -> int:
    if not packed or length < 8:
        return max(length, 0)
    said: int = struct.unpack_from("<q", body, start)[0]  # -1: as it is
    return max(said, length)
