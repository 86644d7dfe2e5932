"""What claims are checked on: original and released values, and their moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

EXACT = 1e-9  # relative to each attribute's standard deviation
_CELLS_PER_BLOCK = 1 << 18
_VALUES_AT_A_TIME = 1 << 15


class Moments:
    """Means, variances and covariances (divisor n) of some columns, each computed when asked for and kept.

    Means and variances are over the observed cells of a column, covariances over complete rows. The columns are
    never put side by side as a whole.
    """

    def __init__(self, columns: Sequence[Vector]) -> None:
        self._columns = columns

    @cached_property
    def means(self) -> Vector:
        """Means; once more about the first result, which long sums leave inexact."""
        if not self._complete:
            return np.array([np.nanmean(column) for column in self._columns])
        return np.array([_mean(column) for column in self._columns])

    @cached_property
    def variances(self) -> Vector:
        """Variances."""
        if not self._complete:
            return np.array([np.nanvar(column) for column in self._columns])
        centred = zip(self._columns, self.means, strict=True)
        return np.array([sum(float(d @ d) for d in _less(column, mean)) / self._rows for column, mean in centred])

    @cached_property
    def covariances(self) -> Matrix:
        """Covariances; 0 where no row is complete."""
        products = np.zeros((len(self._columns), len(self._columns)))
        if not self._complete:
            rows = ~np.any([np.isnan(column) for column in self._columns], axis=0)
            return Moments([column[rows] for column in self._columns]).covariances if rows.any() else products
        for block in self._blocks():
            block -= self.means
            products += block.T @ block
        return np.asarray(products / self._rows, dtype=np.float64)

    @cached_property
    def largest(self) -> Vector:
        """The largest absolute value of each column."""
        return np.array([max(np.nanmax(column), -np.nanmin(column)) for column in self._columns])

    @property
    def _rows(self) -> int:
        return len(self._columns[0]) if len(self._columns) else 0

    @cached_property
    def _complete(self) -> bool:
        # a sum is missing where a cell is; infinities do not occur
        return not any(np.isnan(column.sum()) for column in self._columns)

    def _blocks(self) -> Iterator[Matrix]:
        """Rows so many at a time that what is computed of them stays in the cache; each block may be changed."""
        step = max(1, _CELLS_PER_BLOCK // max(1, len(self._columns)))
        for first in range(0, self._rows, step):
            block = np.empty((min(step, self._rows - first), len(self._columns)), order="F")
            for j, column in enumerate(self._columns):
                block[:, j] = column[first : first + step]
            yield block


def _mean(column: Vector) -> float:
    rough = float(column.mean())
    return rough + sum(float(d.sum()) for d in _less(column, rough)) / len(column)


def _less(column: Vector, mean: float) -> Iterator[Vector]:
    """The column less its mean, so much at a time that it stays in the cache."""
    return (column[first : first + _VALUES_AT_A_TIME] - mean for first in range(0, len(column), _VALUES_AT_A_TIME))


@dataclass(frozen=True)
class Evidence:
    """Original and released values of the claimed columns, one by one.

    Categorical columns are codes in one common coding; missing cells are NaN. `original` holds the
    whole original file, `origin` the original row of each released row (-1: none), `half_unit` half
    of the unit to which a column was rounded (0: not rounded). Columns are put side by side (`before`,
    `after`) only where a claim asks for that.
    """

    columns: tuple[str, ...]
    original: Sequence[Vector]
    released: Sequence[Vector]
    half_unit: NDArray[np.float64]
    origin: NDArray[np.int64]
    groups: NDArray[np.int64] | None = None
    given: Matrix | None = None

    def only(self, columns: Sequence[str]) -> Evidence:
        """The same evidence for some of the columns."""
        if tuple(columns) == self.columns:
            return self
        where = [self.columns.index(name) for name in columns]
        return replace(
            self,
            columns=tuple(columns),
            original=[self.original[j] for j in where],
            released=[self.released[j] for j in where],
            half_unit=self.half_unit[where],
        )

    def rows(self, originals: NDArray[np.bool_], released: NDArray[np.bool_] | None = None) -> Evidence:
        """The same evidence for some original rows and what was released of them (synthetic rows stay)."""
        if released is None:
            released = originals[self.origin] | (self.origin < 0)
        # the last entry is for -1, a row without an original
        new_number = np.append(np.cumsum(originals) - 1, -1)
        return replace(
            self,
            original=[column[originals] for column in self.original],
            released=[column[released] for column in self.released],
            origin=new_number[self.origin[released]],
            groups=None if self.groups is None else self.groups[released],
            given=None if self.given is None else self.given[originals],
        )

    @cached_property
    def before(self) -> Matrix:
        """The whole original file."""
        return _side_by_side(self.original)

    @cached_property
    def after(self) -> Matrix:
        """The whole release."""
        return _side_by_side(self.released)

    @cached_property
    def moments_before(self) -> Moments:
        """Means and covariances of the original."""
        return Moments(self.original)

    @cached_property
    def moments_after(self) -> Moments:
        """Means and covariances of the release."""
        return Moments(self.released)

    @cached_property
    def scale(self) -> NDArray[np.float64]:
        """Standard deviation of each original column, 1 (or its size) for a constant one."""
        size = np.maximum(self.moments_before.largest, 1.0)
        spread = np.sqrt(self.moments_before.variances)
        return np.asarray(np.where(spread > 1e-12 * size, spread, size), dtype=np.float64)

    @cached_property
    def exact(self) -> float:
        """The tolerance of an exact claim: 1e-9 standard deviations, more where double precision holds less."""
        largest = np.maximum(self.moments_before.largest, 0.0)
        return EXACT + 8 * float(np.max(np.finfo(np.float64).eps * largest / self.scale, initial=0.0))


def _side_by_side(columns: Sequence[Vector]) -> Matrix:
    # by columns: what is checked reads them one at a time
    out = np.empty((len(columns[0]) if len(columns) else 0, len(columns)), order="F")
    for j, column in enumerate(columns):
        out[:, j] = column
    return out
