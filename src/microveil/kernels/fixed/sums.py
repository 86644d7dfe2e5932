"""Sums and cross-products over records that are exact until one last rounding: any order gives the same bits.

Values of a column are put on a grid of 60 bits below the largest magnitude and cut into three slices of 20 bits. Cross
products of slices over 4096 records are whole numbers below 2^53, so that BLAS, in whatever order it adds, makes no
rounding error (Ozaki, Ogita, Oishi & Rump 2012). Blocks are added as whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microveil.core.arrays import Floats, Ints, Wholes
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput, NotEnoughRecords

_SLICES = 3
_BITS = 20  # of a slice
_ROWS = 4096  # products of two slices over so many records stay below 2^53
_BLOCKS = 1 << 10  # blocks of products that 64 bits hold together
_GRID = _SLICES * _BITS
_SLICE = float(1 << _BITS)


@dataclass(frozen=True)
class Grid:
    """The power of two just above every magnitude of each column: the order of the records does not matter."""

    exponents: Ints

    @classmethod
    def of(cls, X: Floats) -> Grid:
        """The grid of the columns of X; refused where a value is missing or infinite."""
        largest = np.zeros(X.shape[1])
        for start in range(0, len(X), _ROWS):
            _raise_to_magnitudes(largest, np.ascontiguousarray(X[start : start + _ROWS], dtype=np.float64))
        return cls.up_to(largest)

    @classmethod
    def between(cls, low: Floats, high: Floats) -> Grid:
        """The grid of columns with these smallest and largest values."""
        return cls.up_to(np.maximum(np.maximum(high, -low), 0.0))

    @classmethod
    def up_to(cls, largest: Floats) -> Grid:
        """The grid of columns whose values are no larger than these, whatever their signs."""
        if not np.isfinite(largest).all():
            raise BadInput("sums over records need finite values; leave missing and infinite values out first")
        return cls(np.frexp(largest)[1].astype(np.int64))

    def slices(self, X: Floats) -> Floats:
        """Whole numbers (3 p columns) that make up the values in units of 2^(exponent - 60), leading slices first."""
        return _slices(np.ascontiguousarray(X, dtype=np.float64), *self._steps())

    def totals(self, X: Floats) -> Wholes:
        """Sums of the columns of X as whole numbers in units of 2^(exponent - 60)."""
        held = np.zeros((_SLICES, X.shape[1]), dtype=np.int64)
        for start in range(0, len(X), _ROWS):
            held += _slice_totals(np.ascontiguousarray(X[start : start + _ROWS], dtype=np.float64), *self._steps())
        parts = held.astype(object)
        return np.asarray(sum(parts[s] << (_BITS * (_SLICES - 1 - s)) for s in range(_SLICES)), dtype=object)

    def _steps(self) -> tuple[Floats, Floats]:
        """Powers of two that bring columns below 1, in two steps: 2^-exponent alone may leave the range of numbers."""
        half = -(self.exponents // 2)
        return np.ldexp(1.0, half), np.ldexp(1.0, -self.exponents - half)


@dataclass(frozen=True)
class CrossSums:
    """Sums of A'B over records as whole numbers: parts of a file merge by addition, in any order."""

    left: Grid
    right: Grid
    records: int
    totals: Wholes

    @classmethod
    def of(cls, A: Floats, B: Floats | None = None, left: Grid | None = None, right: Grid | None = None) -> CrossSums:
        """The sums of A'B (of A'A without B) on the grids given, or on those of the records at hand."""
        left = left or Grid.of(A)
        right = left if B is None else right or Grid.of(B)
        p, q = A.shape[1], (A if B is None else B).shape[1]
        totals = np.zeros((p, q), dtype=object)
        held = np.zeros((_SLICES * p, _SLICES * q), dtype=np.int64)
        for number, start in enumerate(range(0, len(A), _ROWS)):
            first = left.slices(A[start : start + _ROWS])
            second = first if B is None else right.slices(B[start : start + _ROWS])
            held += (first.T @ second).astype(np.int64)
            if number % _BLOCKS == _BLOCKS - 1:
                totals += _whole(held, p, q)
                held[:] = 0
        return cls(left, right, len(A), totals + _whole(held, p, q))

    def merge(self, other: CrossSums) -> CrossSums:
        """The sums over two parts of a file that were put on the same grids."""
        if not (_same(self.left, other.left) and _same(self.right, other.right)):
            raise BadInput("sums of two parts can be merged only on one grid; take the grid of all parts first")
        return CrossSums(self.left, self.right, self.records + other.records, self.totals + other.totals)

    def values(self) -> Floats:
        """The sums as numbers, rounded once."""
        shift = self.left.exponents[:, None] + self.right.exponents - 2 * _GRID
        return _rounded(self.totals, 1, shift)


@dataclass(frozen=True)
class ExactMoments:
    """First and second moments of records as whole numbers: of X with a column of ones behind it."""

    sums: CrossSums

    @classmethod
    def of(cls, X: Floats, grid: Grid | None = None) -> ExactMoments:
        """The moments of X, on the grid of the whole file where X is a part of it."""
        grid = grid or Grid.of(X)
        with_ones = np.column_stack([X, np.ones(len(X))])
        return cls(CrossSums.of(with_ones, left=Grid(np.append(grid.exponents, 1))))

    def merge(self, other: ExactMoments) -> ExactMoments:
        """The moments of two parts of a file that were put on the same grid."""
        return ExactMoments(self.sums.merge(other.sums))

    @property
    def records(self) -> int:
        """How many records there were."""
        return self.sums.records

    def mean(self) -> Floats:
        """The means of the columns, rounded once."""
        firsts = self._firsts()
        return _rounded(firsts, self._count(), self.sums.left.exponents[:-1] - _GRID)

    def mean_and_rest(self) -> tuple[Floats, Floats]:
        """The means, and what their rounding left: together they hold twice the digits."""
        mean, count = self.mean(), self._count()
        exponents = self.sums.left.exponents[:-1] - _GRID
        exact = [_fraction(total, count, int(e)) for total, e in zip(self._firsts(), exponents, strict=True)]
        return mean, np.array([float(one - Fraction(m)) for one, m in zip(exact, mean.tolist(), strict=True)])

    def covariance(self) -> Floats:
        """The covariance matrix with divisor n, rounded once; constant columns have variance exactly 0."""
        n, firsts = self._count(), self._firsts()
        exponents = self.sums.left.exponents[:-1]
        centred = n * self.sums.totals[:-1, :-1] - np.multiply.outer(firsts, firsts)
        return _rounded(centred, n * n, exponents[:, None] + exponents - 2 * _GRID)

    def _count(self) -> int:
        if not self.records:
            raise NotEnoughRecords("a mean needs at least 1 record: 0 given")
        return self.records

    def _firsts(self) -> Wholes:
        # a one stands on its grid as 2^59: exact to divide out
        return np.asarray(self.sums.totals[:-1, -1] >> (_GRID - 1), dtype=object)


def exact_means(X: Floats) -> Floats:
    """Means of the columns, each rounded once: the same for any order of the records."""
    if not len(X):
        raise NotEnoughRecords("a mean needs at least 1 record: 0 given")
    grid = Grid.of(X)
    return _rounded(grid.totals(X), len(X), grid.exponents - _GRID)


def exact_product(A: Floats, B: Floats | None = None) -> Floats:
    """A'B over records (A'A without B), each entry rounded once: the same for any order of the records."""
    return CrossSums.of(A, B).values()


@compiled
def _raise_to_magnitudes(largest: Floats, X: Floats) -> None:
    """Raise the largest magnitudes of the columns to those of these records; what is no number stays."""
    n, p = X.shape
    for i in range(n):
        for j in range(p):
            size = abs(X[i, j])
            if not (size <= largest[j] or np.isnan(largest[j])):
                largest[j] = size


@compiled
def _slices(X: Floats, first: Floats, second: Floats) -> Floats:
    n, p = X.shape
    parts = np.empty((n, _SLICES * p))
    for i in range(n):
        for j in range(p):
            rest = X[i, j] * first[j] * second[j]
            for s in range(_SLICES):
                rest *= _SLICE
                part = np.rint(rest)
                parts[i, s * p + j] = part
                rest -= part
    return parts


@compiled
def _slice_totals(X: Floats, first: Floats, second: Floats) -> Ints:
    """Sums of the slices: whole numbers below 2^20, of which 64 bits hold more than any file has."""
    n, p = X.shape
    totals = np.zeros((_SLICES, p), dtype=np.int64)
    for i in range(n):
        for j in range(p):
            rest = X[i, j] * first[j] * second[j]
            for s in range(_SLICES):
                rest *= _SLICE
                part = np.rint(rest)
                totals[s, j] += int(part)
                rest -= part
    return totals


def _whole(held: Ints, p: int, q: int) -> Wholes:
    """Sums of products of slices put together, in units of the two grids."""
    parts = held.reshape(_SLICES, p, _SLICES, q).astype(object)
    total = np.zeros((p, q), dtype=object)
    for s in range(_SLICES):
        for t in range(_SLICES):
            total += parts[s, :, t, :] << (_BITS * (2 * (_SLICES - 1) - s - t))
    return total


def _rounded(totals: Wholes, divisor: int, exponents: Ints) -> Floats:
    """total / divisor times 2^exponent: Python's division of whole numbers rounds once."""
    pairs = zip(totals.ravel().tolist(), exponents.ravel().tolist(), strict=True)
    return np.array([_ratio(total, divisor, exponent) for total, exponent in pairs]).reshape(totals.shape)


def _ratio(total: int, divisor: int, exponent: int) -> float:
    if exponent >= 0:
        return (total << exponent) / divisor
    return total / (divisor << -exponent)


def _fraction(total: int, divisor: int, exponent: int) -> Fraction:
    return Fraction(total << exponent, divisor) if exponent >= 0 else Fraction(total, divisor << -exponent)


def _same(one: Grid, other: Grid) -> bool:
    return bool(np.array_equal(one.exponents, other.exponents))
