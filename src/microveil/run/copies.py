"""Released records that are originals: the whole file in another order, and copies among synthetic records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints, Words
from microveil.data.coding import as_amounts, in_common
from microveil.data.table import Values

_STANDARD_ERRORS = 5.0
_TABLE_BITS = 22
_TABLE_SHIFT = np.uint64(64 - _TABLE_BITS)
_FEW, _FEW_BITS = 200, 16
_FEW_SHIFT = np.uint64(64 - _FEW_BITS)
_GAP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Copies:
    """How many released records equal an original one on the columns compared.

    `unique` of them equal an original that no other record shares. The expected numbers are those of a fresh sample
    of the same size from the same population, by Good and Turing's estimate from the original; None without any copy.
    """

    records: int
    copies: int
    unique: int
    expected_copies: float | None
    expected_unique: float | None

    @property
    def beyond_chance(self) -> bool:
        """Whether clearly more unique records were copied than a fresh sample would meet."""
        expected = 1.0 if self.expected_unique is None else max(self.expected_unique, 1.0)
        return bool(self.unique > expected + _STANDARD_ERRORS * np.sqrt(expected))

    def __str__(self) -> str:
        if not self.copies:
            return f"none of {self.records} synthetic records equals an original record in every column"
        return (
            f"{self.copies} of {self.records} synthetic records equal an original record in every column (about "
            f"{self.expected_copies:.0f} of a fresh sample would), and {self.unique} of them equal one that no other "
            f"original shares (about {self.expected_unique:.0f} would)"
        )


def count_copies(columns: Iterable[tuple[Values, Values]]) -> Copies:
    """Released records that equal an original on all the columns, each given as (original, released)."""
    x = y = np.zeros(1, dtype=np.uint64)
    alike: Ints | None = None  # released records that agree with some original on the columns so far
    for one, other in columns:
        x, y = _with_column(x, y, one, other)
        alike = _still_alike(x, y, alike)
        if not len(alike):
            return Copies(len(y), 0, 0, None, None)  # new amounts end here, after a column or two
    values, counts = np.unique(x, return_counts=True)
    place = np.minimum(np.searchsorted(values, y), len(values) - 1)
    found = values[place] == y
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    # Good 1953: what was seen r times has together the probability (r + 1) N_{r+1} / n
    seen = 1.0 - once / len(x)
    return Copies(
        len(y),
        int(found.sum()),
        int((found & (counts[place] == 1)).sum()),
        len(y) * seen,
        len(y) * 2.0 * twice / len(x),
    )


def _still_alike(x: Words, y: Words, alike: Ints | None) -> Ints:
    """Of some records of y those that may be among x, by a table of leading bits; few ones exactly."""
    rows = np.arange(len(y), dtype=np.int64) if alike is None else alike
    seen = np.zeros(1 << _TABLE_BITS, dtype=np.bool_)
    seen[x >> _TABLE_SHIFT] = True
    rows = np.asarray(rows[seen[y[rows] >> _TABLE_SHIFT]], dtype=np.int64)
    if not len(rows) or len(rows) > _FEW:
        return rows
    wanted = np.zeros(1 << _FEW_BITS, dtype=np.bool_)
    wanted[y[rows] >> _FEW_SHIFT] = True
    return np.asarray(rows[np.isin(y[rows], x[wanted[x >> _FEW_SHIFT]])], dtype=np.int64)


def same_records(columns: Iterable[tuple[Values, Values]]) -> bool:
    """Whether both files hold the same records, in whatever order; each column is given as (original, released)."""
    left = right = np.zeros(1, dtype=np.uint64)
    for one, other in columns:
        if _differ_in_range(one, other):
            return False
        left, right = _with_column(left, right, one, other)
        if len(left) != len(right) or left.sum() != right.sum():
            return False  # nearly every release ends here, after a column or two
    return bool(np.array_equal(np.sort(left), np.sort(right)))


@dataclass(frozen=True)
class RecordSums:
    """Sums over the words of the records of two files, which parts add up to: the same for the same records.

    Two sums of 64 bits for each file: other records have the same ones by a chance of 2^-64 or so.
    """

    before: tuple[int, int]
    after: tuple[int, int]

    @classmethod
    def of(cls, columns: Iterable[tuple[Values, Values]]) -> RecordSums:
        """Those of some records; each column is given as (original, released)."""
        left = right = np.zeros(1, dtype=np.uint64)
        for one, other in columns:
            left, right = _with_column(left, right, one, other)
        return cls(_sums(left), _sums(right))

    def merge(self, other: RecordSums) -> RecordSums:
        """Of the records of both."""
        return RecordSums(_added(self.before, other.before), _added(self.after, other.after))

    @property
    def same(self) -> bool:
        """Whether the records are the same, in whatever order."""
        return self.before == self.after


def _sums(words: Words) -> tuple[int, int]:
    return int(words.sum()), int(_mixed(words ^ _GAP).sum())


def _added(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
    return (one[0] + two[0]) % (1 << 64), (one[1] + two[1]) % (1 << 64)


def _differ_in_range(one: Values, other: Values) -> bool:
    """Whether two columns of amounts have another least or largest value: then they hold other values."""
    if one.levels is not None or other.levels is not None or not len(one.data) or not len(other.data):
        return False
    ends = [(bound.reduce(one.data), bound.reduce(other.data)) for bound in (np.fmin, np.fmax)]
    # two columns of gaps alone have no range, and do not differ
    return any(x != y and not (np.isnan(x) and np.isnan(y)) for x, y in ends)


def _with_column(left: Words, right: Words, one: Values, other: Values) -> tuple[Words, Words]:
    """The 64-bit words of the records of both files, equal for equal records, with one column more."""
    x, y = _column_words(one, other)
    return _mixed(left * _GAP + x), _mixed(right * _GAP + y)


def _column_words(one: Values, other: Values) -> tuple[Words, Words]:
    if (one.levels is None) != (other.levels is None):
        # an amount beside a class: equal where the class is the text of that amount
        x, y = _words(as_amounts(one)), _words(as_amounts(other))
        ranges = as_amounts(other).missing & ~other.missing
        return x, np.where(ranges, ~y, y)
    if one.levels is not None:
        one, other = in_common([one, other])
    return _words(one), _words(other)


def _words(values: Values) -> Words:
    # adding 0.0 makes one zero of two, and one bit pattern stands for every gap
    numbers = np.where(values.missing, np.inf, values.numbers + 0.0)
    return _mixed(np.ascontiguousarray(numbers).view(np.uint64))


def _mixed(words: Words) -> Words:
    """Scatter the bits (the finaliser of SplitMix64, Steele, Lea & Flood 2014)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)), dtype=np.uint64)
