"""Records in random order, out of memory: by the first bits of a random word of each, then inside each bucket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Ints
from microveil.core.streams import Streams
from microveil.engines.buckets import MOST_BUCKETS, Buckets

_BUCKET_ROWS = 1 << 18
_MOST_BITS = (MOST_BUCKETS - 1).bit_length()
_WORD, _ROW = "word", "row"


class Shuffle:
    """Records of a release that are put into buckets as they come, and come back in the order they are written in."""

    def __init__(self, folder: Path, streams: Streams, rows: int) -> None:
        self._streams = streams.at("write")
        self._bits = min(_MOST_BITS, max(0, (rows - 1) // _BUCKET_ROWS).bit_length())
        self._buckets = Buckets(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._buckets.__exit__(kind, error, at)

    def put(self, first: int, table: pa.Table) -> None:
        """Take records that stand one behind the other in the release, from `first` on."""
        words = self._streams.words(first, first + table.num_rows)[:, 0]
        rows = first + np.arange(table.num_rows, dtype=np.int64)
        keyed = pa.table([pa.array(words), pa.array(rows), *table.columns], names=_names(table))
        self._buckets.put(_bucket(words, self._bits), keyed)

    def tables(self, names: list[str]) -> Iterator[pa.Table]:
        """All records in the order in which they are written."""
        for bucket in self._buckets.numbers:
            table = self._buckets.take(bucket)
            order = np.lexsort((table[_ROW].to_numpy(), table[_WORD].to_numpy()))
            found = table.drop_columns([_WORD, _ROW]).take(pa.array(order)).combine_chunks()
            yield found.rename_columns(names)


def _names(table: pa.Table) -> list[str]:
    # columns by their numbers: one of them may be called like ours
    return [_WORD, _ROW, *map(str, range(table.num_columns))]


def _bucket(words: np.ndarray[tuple[int], np.dtype[np.uint64]], bits: int) -> Ints:
    return (words >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(len(words), dtype=np.int64)
