"""Where the records of a source stand in the files of a release: private, as the key is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from microveil.core.arrays import Ints, Words
from microveil.core.streams import Streams

_AT_ONCE = 1 << 20  # words that are drawn together


@dataclass(frozen=True)
class Linking:
    """The order of the files follows from a random word of each released record, which only the key tells.

    `rows` gives for records of the source, by their rising places, which released record each became, in the order of
    the source, -1 where it was left out; it may hold records on disk meanwhile, `beside` the release. `made`: records
    were made, and no released record is anybody's.
    """

    streams: Streams = field(repr=False)
    released: int
    rows: Callable[[Ints, Path], Ints] = field(repr=False)
    beside: Path
    made: bool = False

    def places(self, of_source: Ints) -> Ints:
        """Where records of the source, by their rising places, stand in the files; -1: nowhere."""
        rows = self.rows(of_source, self.beside)
        there = rows >= 0
        found = np.full(len(rows), -1, dtype=np.int64)
        found[there] = written_places(self.streams.at("write"), self.released, rows[there])
        return found


def written_places(streams: Streams, released: int, rows: Ints) -> Ints:
    """How many of all released records are written before each of these, given by rising rows."""
    words = streams.of_rows(rows).words(0, len(rows))[:, 0]
    order = np.lexsort((rows, words))
    rising, numbers = words[order], rows[order]
    before = np.zeros(len(rows) + 1, dtype=np.int64)
    for start in range(0, released, _AT_ONCE):
        others = streams.words(start, min(start + _AT_ONCE, released))[:, 0]
        # a word is before those of the rows that are larger; of equal ones the lower row is first
        places = np.searchsorted(rising, others, "right")
        before += np.bincount(places, minlength=len(before))
        for place in np.flatnonzero(np.searchsorted(rising, others, "left") < places).tolist():
            _count_equal(before, rising, numbers, others[place], start + place)
    found = np.empty(len(rows), dtype=np.int64)
    found[order] = np.cumsum(before)[:-1]
    return found


def _count_equal(before: Ints, rising: Words, numbers: Ints, word: np.uint64, row: int) -> None:
    """Move a word that equals those of some rows in front of the first of these that stands behind its own row."""
    first, last = np.searchsorted(rising, word, "left"), np.searchsorted(rising, word, "right")
    before[last] -= 1
    before[first + int(np.searchsorted(numbers[first:last], row, "right"))] += 1
