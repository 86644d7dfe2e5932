"""Columns as arrays: what kernels see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from microveil.core.arrays import AnyArray, Bools, Floats, Ints
from microveil.core.open_types import Cell, Hierarchy


@dataclass(frozen=True)
class Values:
    """One column as an array.

    Continuous: float64, NaN where missing. Ordinal and nominal: int64 codes into `levels`, -1 where
    missing; ordinal levels stand in their order.
    """

    kind: str
    data: AnyArray
    levels: tuple[Cell, ...] | None = None
    hierarchy: Hierarchy | None = field(default=None, hash=False)

    @property
    def missing(self) -> Bools:
        """Which cells are missing."""
        found = np.isnan(self.data) if self.levels is None else self.data < 0
        return np.asarray(found, dtype=np.bool_)

    @property
    def numbers(self) -> Floats:
        """The values, or the codes, as float64 with NaN where missing."""
        if self.levels is None:
            return np.asarray(self.data, dtype=np.float64)
        return np.where(self.data < 0, np.nan, self.data.astype(np.float64))

    def take(self, rows: AnyArray | slice) -> Values:
        """The column at these rows."""
        return replace(self, data=self.data[rows])

    def at(self, origin: Ints) -> Values:
        """The column at these rows, missing where there is no such row (-1)."""
        if are_all_in_order(origin, len(self.data)):
            return self
        gap = np.nan if self.levels is None else -1
        if not len(self.data):  # records are made in place of rows that are all gone
            return self.with_data(np.full(len(origin), gap, dtype=self.data.dtype))
        taken = self.take(np.maximum(origin, 0))
        if (origin >= 0).all():
            return taken
        return taken.with_data(np.where(origin >= 0, taken.data, gap))

    def with_data(self, data: AnyArray) -> Values:
        """The same column with other values."""
        return replace(self, data=data)


def are_all_in_order(rows: AnyArray, n: int) -> bool:
    """Whether these are all n rows as they are: then nothing has to be copied."""
    if rows.dtype == np.bool_ or len(rows) != n or n == 0 or rows[0] != 0 or rows[-1] != n - 1:
        return False
    # n numbers that rise from 0 to n - 1
    return bool((rows[1:] > rows[:-1]).all())


@dataclass(frozen=True)
class Table:
    """Some columns of a file as arrays of equal length."""

    columns: Mapping[str, Values]
    rows: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.columns)

    def __getitem__(self, name: str) -> Values:
        return self.columns[name]

    def only(self, names: Iterable[str]) -> Table:
        """Some of the columns."""
        return Table({name: self.columns[name] for name in names}, self.rows)

    def take(self, rows: AnyArray | slice) -> Table:
        """Some of the rows (positions, a mask, or a run of them, which is not copied)."""
        if isinstance(rows, slice):
            count = len(range(self.rows)[rows])
        elif are_all_in_order(rows, self.rows):
            return self
        else:
            count = int(rows.sum()) if rows.dtype == np.bool_ else len(rows)
        return Table({name: values.take(rows) for name, values in self.columns.items()}, count)

    def matrix(self, names: Sequence[str] | None = None) -> Floats:
        """The columns side by side as float64, codes as numbers, NaN where missing."""
        chosen = self.names if names is None else tuple(names)
        out = np.empty((self.rows, len(chosen)), dtype=np.float64)
        for j, name in enumerate(chosen):
            out[:, j] = self.columns[name].numbers
        return out

    def codes(self, names: Sequence[str] | None = None) -> Ints:
        """The columns side by side as whole-number codes, -1 where missing; continuous ones by distinct value."""
        chosen = self.names if names is None else tuple(names)
        out = np.empty((self.rows, len(chosen)), dtype=np.int64)
        for j, name in enumerate(chosen):
            values = self.columns[name]
            if values.levels is None:
                missing = values.missing
                out[:, j] = np.unique(np.where(missing, 0.0, values.data), return_inverse=True)[1]
                out[missing, j] = -1
            else:
                out[:, j] = values.data
        return out

    @property
    def incomplete(self) -> Bools:
        """Which rows have a missing cell."""
        out = np.zeros(self.rows, dtype=np.bool_)
        for values in self.columns.values():
            out |= values.missing
        return out

    @classmethod
    def of_matrix(cls, X: Floats, names: Sequence[str] | None = None) -> Table:
        """A table of continuous columns from a matrix."""
        labels = tuple(names) if names is not None else tuple(f"x{j + 1}" for j in range(X.shape[1]))
        return cls({name: Values("continuous", X[:, j]) for j, name in enumerate(labels)}, len(X))
