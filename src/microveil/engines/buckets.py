"""Records put into files by number as they come, and read back file by file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
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


def sort_into_buckets(places: Ints, table: pa.Table) -> list[tuple[int, pa.Table]]:
    """The records of each number by themselves, in the order in which they came."""
    if not len(places):
        return []
    # numbers of 16 bits are sorted by counting
    order = np.argsort(places.astype(np.uint16) if places.max() < 1 << 16 else places, kind="stable")
    rising = places[order]
    starts = np.flatnonzero(np.append(True, rising[1:] != rising[:-1]))
    if len(starts) > 1:
        table = table.take(pa.array(order))
    stops = [*starts[1:].tolist(), len(rising)]
    return [
        (int(rising[start]), table.slice(start, stop - start))
        for start, stop in zip(starts.tolist(), stops, strict=True)
    ]


class Buckets:
    """Tables of the same columns in files of a folder; what comes first into a file is first in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers: dict[int, ipc.RecordBatchStreamWriter] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing more is put."""
        self._open.close()

    def put(self, places: Ints, table: pa.Table) -> None:
        """Put each record into the file of its number."""
        self.put_sorted(sort_into_buckets(places, table))

    def put_sorted(self, tables: Iterable[tuple[int, pa.Table]]) -> None:
        """Put tables into the files of their numbers."""
        for number, table in tables:
            self._writer(number, table.schema).write_table(table)

    @property
    def folder(self) -> Path:
        """Where the files are, by a name that does not depend on where a process stands."""
        return self._folder.absolute()

    @property
    def numbers(self) -> list[int]:
        """The files that hold something."""
        return sorted(self._writers)

    def take(self, number: int) -> pa.Table:
        """What is in a file, which is gone then; nothing is put into any after the first is taken."""
        self._open.close()
        table = look(self._folder, number)
        self._path(number).unlink()
        return table

    def look(self, number: int) -> pa.Table:
        """What is in a file, which stays; nothing is put into any after the first was looked at."""
        self._open.close()
        return look(self._folder, number)

    def _writer(self, number: int, schema: pa.Schema) -> ipc.RecordBatchStreamWriter:
        if number not in self._writers:
            handle = self._open.enter_context(self._path(number).open("xb"))
            self._writers[number] = self._open.enter_context(ipc.new_stream(handle, schema))
        return self._writers[number]

    def _path(self, number: int) -> Path:
        return _path_of(self._folder, number)


def look(folder: Path, number: int) -> pa.Table:
    """What is in a file of a folder into which nothing more is put."""
    return ipc.open_stream(_path_of(folder, number).read_bytes()).read_all()


def _path_of(folder: Path, number: int) -> Path:
    return folder / f"{number:05d}.arrows"
