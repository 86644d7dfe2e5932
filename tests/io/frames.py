"""The same small data in every frame library, and helpers that look into files."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa

WRITABLE = ("csv", "tsv", "txt", "csv.gz", "parquet", "feather", "arrow", "sav", "zsav", "dta", "xlsx")
LIBRARIES = ("pandas", "pandas nullable", "polars", "pyarrow")


def mixed_table() -> pa.Table:
    """One column of every type, missing cells included; text that looks like other types."""
    return pa.table(
        {
            "amount": pa.array([1.5, 0.1, None, -4.25, 1e22, 1 / 3]),
            "whole": pa.array([1.0, 2.0, 3.0, 4.0, 5.0, None]),
            "count": pa.array([1, None, 3, 2**40, -5, 6]),
            "code": ["01", "1", "1.0", None, "NA", "None"],
            "word": ["a,b", 'say "x"', "two\nlines", " x", "true", "2020-01-01"],
            "name": ["é", "日本", "x;y", "\t", "-", "|"],
            "married": [True, None, False, True, True, False],
            "born": pa.array(
                [dt.date(2020, 1, 2), None, dt.date(1950, 5, 6), dt.date(2300, 1, 1), *[dt.date(1, 1, 1)] * 2]
            ),
            "seen": pa.array(
                [
                    dt.datetime.fromisoformat("2020-01-02 03:04:05.678"),
                    None,
                    *[dt.datetime.fromisoformat("1950-01-01 23:59")] * 4,
                ],
                pa.timestamp("us"),
            ),
        }
    )


def in_library(table: pa.Table, library: str) -> Any:
    if library == "pyarrow":
        return table
    if library == "polars":
        return pl.from_arrow(table)
    if library == "pandas":
        return table.to_pandas(timestamp_as_object=False)
    return table.to_pandas(
        types_mapper={
            pa.int64(): pd.Int64Dtype(),
            pa.float64(): pd.Float64Dtype(),
            pa.string(): pd.StringDtype(),
            pa.bool_(): pd.BooleanDtype(),
        }.get
    )


def as_rows(frame: Any) -> list[tuple[Any, ...]]:
    """The rows of a frame in sorted order, comparable between libraries."""
    table = nw.from_native(frame, eager_only=True).to_arrow()
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return sorted(rows, key=repr)


def all_bytes(path: Path) -> bytes:
    """The bytes of a file with everything in it that is compressed laid open."""
    raw = path.read_bytes()
    parts = [raw]
    if raw[:2] == b"\x1f\x8b":
        parts.append(gzip.decompress(raw))
    if raw[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            parts += [packed.read(name) for name in packed.namelist()]
            parts += [repr(entry).encode() + entry.comment + entry.extra for entry in packed.infolist()]
    if raw[:4] == b"$FL3":
        parts += _zlib_blocks(raw)
    parts += _zstd_frames(raw)
    return b"\n".join(parts)


def _zlib_blocks(raw: bytes) -> list[bytes]:
    place = raw.rindex(struct.pack("<qqi", -100, 0, 0x3FF000))
    count = struct.unpack_from("<i", raw, place + 20)[0]
    entries = [struct.unpack_from("<qqii", raw, place + 24 + 24 * j) for j in range(count)]
    return [zlib.decompress(raw[start : start + size]) for _, start, _, size in entries]


def _zstd_frames(raw: bytes) -> list[bytes]:
    """Every stretch that Parquet and Feather packed with zstd."""
    found, place = [], raw.find(b"\x28\xb5\x2f\xfd")
    while place >= 0:
        stream = pa.CompressedInputStream(pa.BufferReader(raw[place:]), "zstd")
        unpacked = b""
        try:
            # little at a time: what follows the frame is an error, which takes the last piece with it
            while piece := stream.read(1 << 7):
                unpacked += piece
        except OSError:
            pass  # what follows the frame is not compressed
        found.append(unpacked)
        place = raw.find(b"\x28\xb5\x2f\xfd", place + 4)
    return found
