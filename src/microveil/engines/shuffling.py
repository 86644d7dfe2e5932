"""Records in random order, out of memory: by the first bits of a random word of each, then inside each bucket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from microveil.core.arrays import Ints
from microveil.core.streams import Streams

_BUCKET_ROWS = 1 << 18
_MOST_BITS = 9  # 512 files that are open at once
_WORD, _ROW = "word", "row"


class Shuffle:
    """Records of a release that are put into buckets as they come, and come back in the order they are written in."""

    def __init__(self, folder: Path, streams: Streams, rows: int) -> None:
        self._folder, self._streams = folder, streams.at("write")
        self._bits = min(_MOST_BITS, max(0, (rows - 1) // _BUCKET_ROWS).bit_length())
        self._writers: dict[int, ipc.RecordBatchStreamWriter] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def put(self, first: int, table: pa.Table) -> None:
        """Take records that stand one behind the other in the release, from `first` on."""
        words = self._streams.words(first, first + table.num_rows)[:, 0]
        rows = first + np.arange(table.num_rows, dtype=np.int64)
        places = _bucket(words, self._bits)
        order = np.argsort(places, kind="stable")
        starts = np.searchsorted(places[order], np.arange(2**self._bits + 1))
        keyed = pa.table([pa.array(words), pa.array(rows), *table.columns], names=_names(table))
        keyed = keyed.take(pa.array(order))
        for bucket in np.flatnonzero(np.diff(starts)).tolist():
            part = keyed.slice(starts[bucket], starts[bucket + 1] - starts[bucket])
            self._writer(bucket, keyed.schema).write_table(part)

    def tables(self, names: list[str]) -> Iterator[pa.Table]:
        """All records in the order in which they are written."""
        self._open.close()
        for bucket in sorted(self._writers):
            path = self._path(bucket)
            with pa.memory_map(str(path)) as source:
                table = ipc.open_stream(source).read_all()
                order = np.lexsort((table[_ROW].to_numpy(), table[_WORD].to_numpy()))
                found = table.drop_columns([_WORD, _ROW]).take(pa.array(order)).combine_chunks()
                yield found.rename_columns(names)
            path.unlink()

    def _writer(self, bucket: int, schema: pa.Schema) -> ipc.RecordBatchStreamWriter:
        if bucket not in self._writers:
            handle = self._open.enter_context(self._path(bucket).open("xb"))
            self._writers[bucket] = self._open.enter_context(ipc.new_stream(handle, schema))
        return self._writers[bucket]

    def _path(self, bucket: int) -> Path:
        return self._folder / f"{bucket:05d}.arrows"


def _names(table: pa.Table) -> list[str]:
    # columns by their numbers: one of them may be called like ours
    return [_WORD, _ROW, *map(str, range(table.num_columns))]


def _bucket(words: np.ndarray[tuple[int], np.dtype[np.uint64]], bits: int) -> Ints:
    return (words >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(len(words), dtype=np.int64)
