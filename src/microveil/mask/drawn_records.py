"""A simple random sample of records that are not all in memory: those with the smallest words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints, Words
from microveil.data.table import Table
from microveil.run.method import Job

_BITS = 16  # of a word that one pass looks at


@dataclass(frozen=True)
class Drawn:
    """Records below a word are drawn, and of those that have it (one, but for a chance of 2^-64) the first ones."""

    size: int
    records: int
    word: int
    last: int  # where the last of those with the word stands that is drawn

    @property
    def drawn(self) -> int:
        """How many are drawn."""
        return self.size

    def among(self, rows: int, job: Job) -> Ints:
        """Which of some records are drawn."""
        words = _words(rows, job)
        last = job.streams.places(rows) <= self.last
        return np.flatnonzero((words < np.uint64(self.word)) | ((words == np.uint64(self.word)) & last))


def drawn_of(table: Table, job: Job, size: int) -> Drawn:
    """The sample of so many of the records: words are counted by their leading bits, then by the next, and so on."""
    found, wanted = 0, size
    for shift in range(64 - _BITS, -1, -_BITS):
        prefix = found

        def count(block: Table, its: Job, shift: int = shift, prefix: int = prefix) -> _Tally:
            return _Tally.of(_words(block.rows, its), shift, prefix)

        below = np.cumsum(job.engine.gather(table, job, count).counts)
        digit = int(np.searchsorted(below, wanted))
        wanted -= int(below[digit - 1]) if digit else 0
        found = found << _BITS | digit
    word = found

    def places(block: Table, its: Job) -> _Places:
        return _Places(its.streams.places(block.rows)[_words(block.rows, its) == np.uint64(word)])

    ties = np.sort(job.engine.gather(table, job, places).places)
    return Drawn(size, table.rows, word, int(ties[wanted - 1]))


def _words(rows: int, job: Job) -> Words:
    return job.streams.words(0, rows)[:, 0]


@dataclass(frozen=True)
class _Tally:
    """How many words that begin with some bits go on with which."""

    counts: Ints

    @classmethod
    def of(cls, words: Words, shift: int, prefix: int) -> _Tally:
        upper = words >> np.uint64(shift)
        if shift + _BITS < 64:
            upper = upper[upper >> np.uint64(_BITS) == np.uint64(prefix)]
        digits = (upper & np.uint64((1 << _BITS) - 1)).astype(np.int64)
        return cls(np.bincount(digits, minlength=1 << _BITS))

    def merge(self, other: _Tally) -> _Tally:
        return _Tally(self.counts + other.counts)


@dataclass(frozen=True)
class _Places:
    places: Ints

    def merge(self, other: _Places) -> _Places:
        return _Places(np.concatenate([self.places, other.places]))
