"""Records put into files by number as they come, and read back file by file."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from microveil.core.arrays import Ints

MOST_BUCKETS = 512  # files that are open at once
_BUCKET_ROWS = 1 << 18


def pack(sizes: Mapping[int, int]) -> Ints:
    """The file of each subdomain, by its number: neighbours share one, as long as it is small."""
    limit = max(_BUCKET_ROWS, -(-2 * sum(sizes.values()) // MOST_BUCKETS))
    # one more entry than numbers: -1, where there are no subdomains, is the last
    found = np.zeros(max(sizes, default=-1) + 2, dtype=np.int64)
    bucket = held = 0
    for domain in sorted(sizes):
        if held and held + sizes[domain] > limit:
            bucket, held = bucket + 1, 0
        found[domain], held = bucket, held + sizes[domain]
    return found


class Buckets:
    """Tables of the same columns in files of a folder; what comes first into a file is first in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers: dict[int, ipc.RecordBatchStreamWriter] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def put(self, places: Ints, table: pa.Table) -> None:
        """Put each record into the file of its number."""
        if not len(places):
            return
        order = np.argsort(places, kind="stable")
        rising = places[order]
        starts = np.flatnonzero(np.append(True, rising[1:] != rising[:-1]))
        if len(starts) > 1 or not np.array_equal(order, np.arange(len(order))):
            table = table.take(pa.array(order))
        for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(rising)], strict=True):
            self._writer(int(rising[start]), table.schema).write_table(table.slice(start, stop - start))

    @property
    def numbers(self) -> list[int]:
        """The files that hold something."""
        return sorted(self._writers)

    def take(self, number: int) -> pa.Table:
        """What is in a file, which is gone then; nothing is put into any after the first is taken."""
        self._open.close()
        path = self._path(number)
        table = ipc.open_stream(path.read_bytes()).read_all()
        path.unlink()
        return table

    def look(self, number: int) -> pa.Table:
        """What is in a file, which stays; nothing is put into any after the first was looked at."""
        self._open.close()
        return ipc.open_stream(self._path(number).read_bytes()).read_all()

    def _writer(self, number: int, schema: pa.Schema) -> ipc.RecordBatchStreamWriter:
        if number not in self._writers:
            handle = self._open.enter_context(self._path(number).open("xb"))
            self._writers[number] = self._open.enter_context(ipc.new_stream(handle, schema))
        return self._writers[number]

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:05d}.arrows"
