"""What claims are checked on: original and released values, and their moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

EXACT = 1e-9  # relative to each attribute's standard deviation
_CELLS_PER_BLOCK = 1 << 18


class Moments:
    """Means, variances and covariances (divisor n) of a matrix, each computed when asked for and kept.

    Means and variances are over the observed cells of a column, covariances over complete rows.
    """

    def __init__(self, X: Matrix) -> None:
        self._X = X

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Means; once more about the first result, which long sums leave inexact."""
        if not self._complete:
            return np.asarray(np.nanmean(self._X, axis=0), dtype=np.float64)
        rough = self._X.mean(axis=0)
        rest = sum(((block - rough).sum(axis=0) for block in _blocks(self._X)), np.zeros(self._X.shape[1]))
        return np.asarray(rough + rest / len(self._X), dtype=np.float64)

    @cached_property
    def variances(self) -> NDArray[np.float64]:
        """Variances."""
        if not self._complete:
            return np.asarray(np.nanvar(self._X, axis=0), dtype=np.float64)
        squares = np.zeros(self._X.shape[1])
        for block in _blocks(self._X):
            centred = block - self.means
            squares += np.einsum("ij,ij->j", centred, centred)
        return np.asarray(squares / len(self._X), dtype=np.float64)

    @cached_property
    def covariances(self) -> Matrix:
        """Covariances; 0 where no row is complete."""
        if not self._complete:
            rows = self._X[~np.isnan(self._X).any(axis=1)]
            return Moments(rows).covariances if len(rows) else np.zeros((rows.shape[1], rows.shape[1]))
        products = np.zeros((self._X.shape[1], self._X.shape[1]))
        for block in _blocks(self._X):
            centred = block - self.means
            products += centred.T @ centred
        return np.asarray(products / len(self._X), dtype=np.float64)

    @cached_property
    def _complete(self) -> bool:
        # a sum is missing where a cell is; infinities do not occur
        return not np.isnan(self._X.sum())


def _blocks(X: Matrix) -> Iterator[Matrix]:
    """Rows of a matrix so many at a time that what is computed of them stays in the cache."""
    step = max(1, _CELLS_PER_BLOCK // max(1, X.shape[1]))
    return (X[first : first + step] for first in range(0, len(X), step))


@dataclass(frozen=True)
class Evidence:
    """Original and released values of the claimed columns, as arrays.

    Categorical columns are codes in one common coding; missing cells are NaN. `before` holds the
    whole original file, `origin` the original row of each released row (-1: none), `half_unit` half
    of the unit to which a column was rounded (0: not rounded).
    """

    columns: tuple[str, ...]
    before: Matrix
    after: Matrix
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
            before=self.before[:, where],
            after=self.after[:, where],
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
            before=self.before[originals],
            after=self.after[released],
            origin=new_number[self.origin[released]],
            groups=None if self.groups is None else self.groups[released],
            given=None if self.given is None else self.given[originals],
        )

    @cached_property
    def moments_before(self) -> Moments:
        """Means and covariances of the original."""
        return Moments(self.before)

    @cached_property
    def moments_after(self) -> Moments:
        """Means and covariances of the release."""
        return Moments(self.after)

    @cached_property
    def scale(self) -> NDArray[np.float64]:
        """Standard deviation of each original column, 1 (or its size) for a constant one."""
        size = np.maximum(self._largest_size, 1.0)
        spread = np.sqrt(self.moments_before.variances)
        return np.asarray(np.where(spread > 1e-12 * size, spread, size), dtype=np.float64)

    @cached_property
    def exact(self) -> float:
        """The tolerance of an exact claim: 1e-9 standard deviations, more where double precision holds less."""
        largest = np.maximum(self._largest_size, 0.0)
        return EXACT + 8 * float(np.max(np.finfo(np.float64).eps * largest / self.scale, initial=0.0))

    @cached_property
    def _largest_size(self) -> NDArray[np.float64]:
        return np.asarray(np.maximum(np.nanmax(self.before, axis=0), -np.nanmin(self.before, axis=0)))
