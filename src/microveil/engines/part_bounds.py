"""In which file of a release a record stands: known from random words alone, before any record is at hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints, Words
from microveil.core.streams import Streams

_BITS = 20  # the first bits of words, by which they are counted
_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class PartBounds:
    """The first record of every file but the first: its word, and its place in the order of the source.

    The records of a release are written in the order of a random word of each, equal words in the order of the source,
    and cut into files of one size. So the words, which follow from the key and the number of records, tell the file.
    """

    words: Words
    rows: Ints

    @classmethod
    def of(cls, streams: Streams, records: int, part_rows: int) -> PartBounds:
        """The bounds of a release of so many records, from two looks at their words, some at a time."""
        ranks = np.arange(part_rows, records, part_rows, dtype=np.int64)
        if not len(ranks):
            return cls(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))
        counts = np.zeros(1 << _BITS, dtype=np.int64)
        for start in range(0, records, _AT_ONCE):
            counts += np.bincount(_first_bits(_words(streams, start, records)), minlength=len(counts))
        ends = np.cumsum(counts)
        homes = np.searchsorted(ends, ranks, side="right")  # where the record of each rank is
        wanted = np.zeros(len(counts), dtype=np.bool_)
        wanted[homes] = True
        words, rows = [], []
        for start in range(0, records, _AT_ONCE):
            some = _words(streams, start, records)
            picked = np.flatnonzero(wanted[_first_bits(some)])
            words.append(some[picked])
            rows.append(start + picked)
        word, row = np.concatenate(words), np.concatenate(rows)
        order = np.lexsort((row, word))
        # how many records that were picked stand before: all of earlier homes, and those of the own one
        before = np.cumsum(np.where(wanted, counts, 0))[homes] - counts[homes] + (ranks - (ends - counts)[homes])
        return cls(word[order[before]], row[order[before]])

    def parts(self, words: Words, rows: Ints) -> Ints:
        """The number of the file of each record."""
        found = np.searchsorted(self.words, words, side="right").astype(np.int64)
        while True:
            last = np.maximum(found - 1, 0)
            ties = found > 0
            if ties.any():
                ties &= (self.words[last] == words) & (self.rows[last] > rows)
            if not ties.any():
                return found
            found -= ties


def _words(streams: Streams, start: int, records: int) -> Words:
    return streams.words(start, min(start + _AT_ONCE, records))[:, 0]


def _first_bits(words: Words) -> Ints:
    return (words >> np.uint64(64 - _BITS)).astype(np.int64)
