"""Moments of single columns that may have gaps, each computed when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from microveil.core.arrays import Ints, Matrix, Vector

_CELLS_PER_BLOCK = 1 << 18
_VALUES_AT_A_TIME = 1 << 15


class Moments:
    """Means, variances and covariances (divisor n) of some columns, each computed when asked for and kept.

    Means and variances are over the observed cells of a column, covariances over complete rows; NaN where there are
    none. The columns are never put side by side as a whole.
    """

    def __init__(self, columns: Sequence[Vector]) -> None:
        self._columns = columns

    @cached_property
    def means(self) -> Vector:
        """Means; once more about the first result, which long sums leave inexact."""
        return np.array([_mean(column) for column in self.observed])

    @cached_property
    def variances(self) -> Vector:
        """Variances."""
        centred = zip(self.observed, self.means, strict=True)
        return np.array([_ratio(sum(float(d @ d) for d in _less(x, mean)), len(x)) for x, mean in centred])

    @cached_property
    def covariances(self) -> Matrix:
        """Covariances."""
        products = np.zeros((len(self._columns), len(self._columns)))
        if not self._complete:
            rows = ~np.any([np.isnan(column) for column in self._columns], axis=0)
            return Moments([column[rows] for column in self._columns]).covariances
        if not self._rows:
            return np.full_like(products, np.nan)
        for block in self._blocks():
            block -= self.means
            products += block.T @ block
        return np.asarray(products / self._rows, dtype=np.float64)

    @cached_property
    def counts(self) -> Ints:
        """The number of observed cells of each column."""
        return np.array([len(column) for column in self.observed], dtype=np.int64)

    @cached_property
    def lowest(self) -> Vector:
        """The smallest value of each column; infinity where there is none."""
        return np.array([column.min(initial=np.inf) for column in self.observed])

    @cached_property
    def highest(self) -> Vector:
        """The largest value of each column; minus infinity where there is none."""
        return np.array([column.max(initial=-np.inf) for column in self.observed])

    @cached_property
    def largest(self) -> Vector:
        """The largest absolute value of each column; 0 where there is none."""
        return np.where(self.counts > 0, np.maximum(self.highest, -self.lowest), 0.0)

    @cached_property
    def observed(self) -> Sequence[Vector]:
        """The observed cells of each column."""
        return self._columns if self._complete else [column[~np.isnan(column)] for column in self._columns]

    @cached_property
    def complete_rows(self) -> int:
        """The number of rows without a gap."""
        if self._complete:
            return self._rows
        return int(np.count_nonzero(~np.any([np.isnan(column) for column in self._columns], axis=0)))

    @property
    def _rows(self) -> int:
        return len(self._columns[0]) if len(self._columns) else 0

    @cached_property
    def _complete(self) -> bool:
        # a sum is missing where a cell is; infinities do not occur
        return not any(np.isnan(column.sum()) for column in self._columns)

    def _blocks(self) -> Iterator[Matrix]:
        """Cache-sized blocks of rows, as fresh arrays that the caller may overwrite."""
        step = max(1, _CELLS_PER_BLOCK // len(self._columns))
        for first in range(0, self._rows, step):
            block = np.empty((min(step, self._rows - first), len(self._columns)), order="F")
            for j, column in enumerate(self._columns):
                block[:, j] = column[first : first + step]
            yield block


def _mean(column: Vector) -> float:
    rough = _ratio(float(column.sum()), len(column))
    return rough + _ratio(sum(float(d.sum()) for d in _less(column, rough)), len(column))


def _ratio(total: float, count: int) -> float:
    return total / count if count else float("nan")


def _less(column: Vector, mean: float) -> Iterator[Vector]:
    """The column less its mean, so much at a time that it stays in the cache."""
    return (column[first : first + _VALUES_AT_A_TIME] - mean for first in range(0, len(column), _VALUES_AT_A_TIME))
