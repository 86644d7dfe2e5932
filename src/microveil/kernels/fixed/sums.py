"""Sums and cross-products over records that are exact until one last rounding: any order gives the same bits.

Values of a column are put on a grid of 60 bits below the largest magnitude and cut into three slices of 20 bits. Cross
products of slices over 4096 records are whole numbers below 2^53, so that BLAS, in whatever order it adds, makes no
rounding error (Ozaki, Ogita, Oishi & Rump 2012). Blocks are added as whole numbers.

Few columns are multiplied by a loop of our own: their products are so small that threads of BLAS wait for each other
longer than they work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints, Wholes
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.fixed.squares import BITS, GRID, SLICE, SLICES, ratio, round_variance, squares_and_totals

_ROWS = 4096  # products of two slices over so many records stay below 2^53
_BLOCKS = 1 << 8  # blocks of products of which 64 bits hold three together
_TOGETHER = 8  # records that the loop takes at once
_FEW = 16  # columns whose products are taken by a loop of our own


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
        return _slices(np.ascontiguousarray(X, dtype=np.float64), *self.steps())

    def totals(self, X: Floats) -> Wholes:
        """Sums of the columns of X as whole numbers in units of 2^(exponent - 60)."""
        held = np.zeros((SLICES, X.shape[1]), dtype=np.int64)
        for start in range(0, len(X), _ROWS):
            held += _slice_totals(np.ascontiguousarray(X[start : start + _ROWS], dtype=np.float64), *self.steps())
        parts = held.astype(object)
        return np.asarray(sum(parts[s] << (BITS * (SLICES - 1 - s)) for s in range(SLICES)), dtype=object)

    def steps(self) -> tuple[Floats, Floats]:
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
        products = _products_of_few if max(p, q) <= _FEW else _products_of_many
        for start in range(0, len(A), _ROWS * _BLOCKS):
            some = slice(start, start + _ROWS * _BLOCKS)
            totals += _whole(products(A[some], left, None if B is None else B[some], right), p, q)
        return cls(left, right, len(A), totals)

    def merge(self, other: CrossSums) -> CrossSums:
        """The sums over two parts of a file that were put on the same grids."""
        if not (_same(self.left, other.left) and _same(self.right, other.right)):
            raise BadInput("sums of two parts can be merged only on one grid; take the grid of all parts first")
        return CrossSums(self.left, self.right, self.records + other.records, self.totals + other.totals)

    def values(self) -> Floats:
        """The sums as numbers, rounded once."""
        shift = self.left.exponents[:, None] + self.right.exponents - 2 * GRID
        return _rounded(self.totals, 1, shift)


@dataclass(frozen=True)
class ExactMoments:
    """First and second moments of records as whole numbers: of X with a column of ones behind it."""

    sums: CrossSums

    @classmethod
    def of(cls, X: Floats, grid: Grid | None = None) -> ExactMoments:
        """The moments of X, on the grid of the whole file where X is a part of it."""
        grid = grid or Grid.of(X)
        beside = Grid(np.append(grid.exponents, 1))
        if X.shape[1] == 1:
            (squares,), (total,) = squares_and_totals(X, *grid.steps())
            # a one stands on its grid as 2^59
            ends, ones = total << (GRID - 1), len(X) << (2 * GRID - 2)
            return cls(CrossSums(beside, beside, len(X), np.array([[squares, ends], [ends, ones]], dtype=object)))
        return cls(CrossSums.of(np.column_stack([X, np.ones(len(X))]), left=beside))

    def merge(self, other: ExactMoments) -> ExactMoments:
        """The moments of two parts of a file that were put on the same grid."""
        return ExactMoments(self.sums.merge(other.sums))

    def of_column(self, j: int) -> ExactMoments:
        """The moments of one column, as if they had been taken of it alone."""
        both = [j, -1]
        grid = Grid(self.sums.left.exponents[both])
        return ExactMoments(CrossSums(grid, grid, self.sums.records, self.sums.totals[np.ix_(both, both)]))

    @property
    def records(self) -> int:
        """How many records there were."""
        return self.sums.records

    def mean(self) -> Floats:
        """The means of the columns, rounded once."""
        firsts = self._firsts()
        return _rounded(firsts, self._count(), self.sums.left.exponents[:-1] - GRID)

    def mean_and_rest(self) -> tuple[Floats, Floats]:
        """The means, and what their rounding left: together they hold twice the digits."""
        mean, count = self.mean(), self._count()
        exponents = self.sums.left.exponents[:-1] - GRID
        found = zip(self._firsts(), exponents.tolist(), mean.tolist(), strict=True)
        return mean, np.array([_rest(total, count, exponent, rounded) for total, exponent, rounded in found])

    def covariance(self) -> Floats:
        """The covariance matrix with divisor n, rounded once; constant columns have variance exactly 0."""
        n, firsts = self._count(), self._firsts()
        exponents = self.sums.left.exponents[:-1]
        centred = n * self.sums.totals[:-1, :-1] - np.multiply.outer(firsts, firsts)
        return _rounded(centred, n * n, exponents[:, None] + exponents - 2 * GRID)

    def _count(self) -> int:
        if not self.records:
            raise NotEnoughRecords("a mean needs at least 1 record: 0 given")
        return self.records

    def _firsts(self) -> Wholes:
        # a one stands on its grid as 2^59: exact to divide out
        return np.asarray(self.sums.totals[:-1, -1] >> (GRID - 1), dtype=object)


def exact_means(X: Floats) -> Floats:
    """Means of the columns, each rounded once: the same for any order of the records."""
    if not len(X):
        raise NotEnoughRecords("a mean needs at least 1 record: 0 given")
    grid = Grid.of(X)
    return _rounded(grid.totals(X), len(X), grid.exponents - GRID)


def exact_variances(X: Floats, grid: Grid) -> Floats:
    """Variances of the columns with divisor n, each rounded once, as the covariance matrix has them."""
    n = len(X)
    found = zip(*squares_and_totals(X, *grid.steps()), grid.exponents.tolist(), strict=True)
    return np.array([round_variance(n, squares, total, exponent) for squares, total, exponent in found])


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
    parts = np.empty((n, SLICES * p))
    for i in range(n):
        for j in range(p):
            rest = X[i, j] * first[j] * second[j]
            for s in range(SLICES):
                rest *= SLICE
                part = np.rint(rest)
                parts[i, s * p + j] = part
                rest -= part
    return parts


def _products_of_many(A: Floats, left: Grid, B: Floats | None, right: Grid) -> Ints:
    """Sums of products of slices, by BLAS."""
    held = np.zeros((SLICES * left.exponents.size, SLICES * right.exponents.size), dtype=np.int64)
    for start in range(0, len(A), _ROWS):
        first = left.slices(A[start : start + _ROWS])
        second = first if B is None else right.slices(B[start : start + _ROWS])
        held += (first.T @ second).astype(np.int64)
    return held


def _products_of_few(A: Floats, left: Grid, B: Floats | None, right: Grid) -> Ints:
    """The same by a loop of our own."""
    first = np.ascontiguousarray(A, dtype=np.float64)
    if B is None:
        return _own_products(first, *left.steps())
    return _products(first, *left.steps(), np.ascontiguousarray(B, dtype=np.float64), *right.steps())


@compiled
def _own_products(A: Floats, first: Floats, second: Floats) -> Ints:
    n, p = A.shape
    held = np.zeros((SLICES * p, SLICES * p), dtype=np.int64)
    sums, parts = np.empty(held.shape), np.empty((_TOGETHER, SLICES * p))
    for start in range(0, n, _ROWS):
        sums[:] = 0.0
        for i in range(start, min(n, start + _ROWS), _TOGETHER):
            _cut(A, i, first, second, parts)
            _add_products(sums, parts, parts)
        _add_whole(held, sums)
    return held


@compiled
def _products(
    A: Floats, first: Floats, second: Floats, B: Floats, first_of_right: Floats, second_of_right: Floats
) -> Ints:
    n, p, q = len(A), A.shape[1], B.shape[1]
    held = np.zeros((SLICES * p, SLICES * q), dtype=np.int64)
    sums, parts, right = np.empty(held.shape), np.empty((_TOGETHER, SLICES * p)), np.empty((_TOGETHER, SLICES * q))
    for start in range(0, n, _ROWS):
        sums[:] = 0.0
        for i in range(start, min(n, start + _ROWS), _TOGETHER):
            _cut(A, i, first, second, parts)
            _cut(B, i, first_of_right, second_of_right, right)
            _add_products(sums, parts, right)
        _add_whole(held, sums)
    return held


@compiled
def _cut(X: Floats, start: int, first: Floats, second: Floats, parts: Floats) -> None:
    """The slices of some records from `start` on; behind the last record there are zeros."""
    n, p = X.shape
    for k in range(_TOGETHER):
        if start + k >= n:
            parts[k, :] = 0.0
            continue
        row = parts[k]
        for j in range(p):
            rest = X[start + k, j] * first[j] * second[j] * SLICE
            row[j] = np.rint(rest)
            rest = (rest - row[j]) * SLICE
            row[p + j] = np.rint(rest)
            row[2 * p + j] = np.rint((rest - row[p + j]) * SLICE)


@compiled
def _add_products(sums: Floats, left: Floats, right: Floats) -> None:
    """Add the products of eight records at once: whole numbers, of which no sum is rounded, in whatever order."""
    for a in range(sums.shape[0]):
        x0, x1, x2, x3 = left[0, a], left[1, a], left[2, a], left[3, a]
        x4, x5, x6, x7 = left[4, a], left[5, a], left[6, a], left[7, a]
        for b in range(sums.shape[1]):
            first = x0 * right[0, b] + x1 * right[1, b] + x2 * right[2, b] + x3 * right[3, b]
            sums[a, b] += first + (x4 * right[4, b] + x5 * right[5, b] + x6 * right[6, b] + x7 * right[7, b])


@compiled
def _add_whole(held: Ints, sums: Floats) -> None:
    for a in range(held.shape[0]):
        for b in range(held.shape[1]):
            held[a, b] += int(sums[a, b])


@compiled
def _slice_totals(X: Floats, first: Floats, second: Floats) -> Ints:
    """Sums of the slices: whole numbers below 2^20, of which 64 bits hold more than any file has."""
    n, p = X.shape
    totals = np.zeros((SLICES, p), dtype=np.int64)
    for i in range(n):
        for j in range(p):
            rest = X[i, j] * first[j] * second[j]
            for s in range(SLICES):
                rest *= SLICE
                part = np.rint(rest)
                totals[s, j] += int(part)
                rest -= part
    return totals


def _whole(held: Ints, p: int, q: int) -> Wholes:
    """Sums of products of slices put together, in units of the two grids."""
    parts = held.reshape(SLICES, p, SLICES, q)
    total = np.zeros((p, q), dtype=object)
    for degree in range(2 * SLICES - 1):
        # products that are worth the same are added first: of whole numbers without end there are fewer then
        alike = sum(
            (parts[s, :, degree - s, :] for s in range(SLICES) if 0 <= degree - s < SLICES),
            np.zeros((p, q), np.int64),
        )
        total += alike.astype(object) << (BITS * (2 * (SLICES - 1) - degree))
    return total


def _rounded(totals: Wholes, divisor: int, exponents: Ints) -> Floats:
    """total / divisor times 2^exponent: Python's division of whole numbers rounds once."""
    pairs = zip(totals.ravel().tolist(), exponents.ravel().tolist(), strict=True)
    return np.array([ratio(total, divisor, exponent) for total, exponent in pairs]).reshape(totals.shape)


def _rest(total: int, divisor: int, exponent: int, rounded: float) -> float:
    """total / divisor times 2^exponent less what it was rounded to, rounded once."""
    top, bottom = rounded.as_integer_ratio()
    if exponent >= 0:
        return ((total << exponent) * bottom - top * divisor) / (divisor * bottom)
    return (total * bottom - (top * divisor << -exponent)) / ((divisor << -exponent) * bottom)


def _same(one: Grid, other: Grid) -> bool:
    return bool(np.array_equal(one.exponents, other.exponents))
