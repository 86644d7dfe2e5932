"""Records in random order, out of memory: by the first bits of a random word of each, then inside each bucket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Ints
from microveil.core.ordering import stable_order
from microveil.core.streams import Streams
from microveil.engines.buckets import MOST_BUCKETS, Buckets, sort_into_buckets

_BUCKET_ROWS = 1 << 18
_MOST_BITS = (MOST_BUCKETS - 1).bit_length()
_WORD = "word"  # the columns beside it are called by their numbers, since one of them may be called like it


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

    def sort(self, first: int, table: pa.Table) -> list[tuple[int, pa.Table]]:
        """Records that stand one behind the other in the release, from `first` on, by buckets; any thread may do so."""
        words = self._streams.words(first, first + table.num_rows)[:, 0]
        keyed = pa.table([pa.array(words), *table.columns], names=[_WORD, *map(str, range(table.num_columns))])
        return sort_into_buckets(_bucket(words, self._bits), keyed)

    def put(self, records: list[tuple[int, pa.Table]]) -> None:
        """Take sorted records, in the order in which they stand in the release."""
        self._buckets.put_sorted(records)

    def tables(self, names: list[str]) -> Iterator[pa.Table]:
        """All records in the order in which they are written."""
        for bucket in self._buckets.numbers:
            table = self._buckets.take(bucket).combine_chunks()  # every block of the source left a few records there
            # records of one word, one pair in 2^64, stay in the order in which they came
            order = stable_order(table[_WORD].to_numpy())
            yield table.drop_columns([_WORD]).take(pa.array(order)).rename_columns(names)


def _bucket(words: np.ndarray[tuple[int], np.dtype[np.uint64]], bits: int) -> Ints:
    return (words >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(len(words), dtype=np.int64)
