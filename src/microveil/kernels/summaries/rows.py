"""Which rows of whole numbers occur, and how often: exact, whatever the order and the split of the records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled

MOST_ROWS = 1 << 24  # different rows that are held with their counts


@dataclass(frozen=True)
class CountedRows:
    """Different rows of words in lexicographic order, with the number of records of each.

    `too_many`: there are more of them than may be held, and none is.
    """

    words: Ints
    counts: Ints
    too_many: bool = False

    @classmethod
    def of(cls, words: Ints, counts: Ints | None = None) -> CountedRows:
        """The rows of a matrix, each of which stands for so many records (one if nothing is said)."""
        order = np.argsort(words[:, 0]) if words.shape[1] == 1 else np.lexsort(words.T[::-1])
        ordered = words[order]
        first = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(ordered)])
        if counts is None:
            return cls(ordered[first], np.diff(first, append=len(ordered)))._bounded()
        total = np.add.reduceat(counts[order], first) if len(first) else counts[:0]
        return cls(ordered[first], total)._bounded()

    @classmethod
    def of_floats(cls, rows: Floats) -> CountedRows:
        """The rows of a matrix of numbers, by their bits: gaps are equal to gaps, and the two zeros to one another."""
        whole = np.where(np.isnan(rows), np.nan, rows + 0.0)
        return cls.of(np.ascontiguousarray(whole).view(np.int64))

    @property
    def floats(self) -> Floats:
        """The rows as the numbers they were counted from."""
        return self.words.view(np.float64)

    def merge(self, other: CountedRows) -> CountedRows:
        """The rows of the records of both."""
        if self.too_many or other.too_many:
            return self._none()
        return CountedRows(*_merged(self.words, self.counts, other.words, other.counts))._bounded()

    def places(self, words: Ints) -> Ints:
        """Which of the rows each of some rows is, -1 where it is none of them."""
        return _places(self.words, words)

    def _bounded(self) -> CountedRows:
        return self._none() if len(self.counts) > MOST_ROWS else self

    def _none(self) -> CountedRows:
        return CountedRows(self.words[:0], self.counts[:0], True)


@compiled
def _compared(one: Ints, i: int, other: Ints, j: int) -> int:
    """Below 0 where row i of one comes before row j of the other, 0 where they are equal."""
    for word in range(one.shape[1]):
        if one[i, word] != other[j, word]:
            return -1 if one[i, word] < other[j, word] else 1
    return 0


@compiled
def _merged(words: Ints, counts: Ints, others: Ints, other_counts: Ints) -> tuple[Ints, Ints]:
    """Two rising runs of rows as one, in one pass; equal rows are counted together."""
    merged = np.empty((len(words) + len(others), words.shape[1]), np.int64)
    totals = np.empty(len(words) + len(others), np.int64)
    i = j = n = 0
    while i < len(words) or j < len(others):
        order = 1 if i == len(words) else -1 if j == len(others) else _compared(words, i, others, j)
        if order <= 0:
            merged[n], totals[n] = words[i], counts[i]
            i += 1
            if order == 0:
                totals[n] += other_counts[j]
                j += 1
        else:
            merged[n], totals[n] = others[j], other_counts[j]
            j += 1
        n += 1
    return merged[:n].copy(), totals[:n].copy()


@compiled
def _places(words: Ints, others: Ints) -> Ints:
    found = np.empty(len(others), np.int64)
    for j in range(len(others)):
        low, high = 0, len(words)
        while low < high:
            middle = (low + high) // 2
            if _compared(words, middle, others, j) < 0:
                low = middle + 1
            else:
                high = middle
        found[j] = low if low < len(words) and _compared(words, low, others, j) == 0 else -1
    return found
