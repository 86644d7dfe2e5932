"""Columns of a table into a matrix of numbers, and a matrix back into columns."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Matrix
from microveil.data.table import Table, Values


def split_columns(X: Matrix, like: Table) -> dict[str, Values]:
    """The columns of a matrix under the names and kinds of a table."""
    return {
        name: values.with_data(np.ascontiguousarray(X[:, j], dtype=values.data.dtype))
        for j, (name, values) in enumerate(like.columns.items())
    }


def indicators(given: Table, rows: int) -> Matrix:
    """The columns as numbers: categories as indicators of all but the first (missing is one of them)."""
    parts = [np.zeros((rows, 0))]
    for values in given.columns.values():
        if values.levels is None:
            parts.append(values.numbers[:, None])
        else:
            parts.append(np.equal.outer(values.data, np.unique(values.data)[1:]).astype(np.float64))
    return np.hstack(parts)


def with_constant(given: Table, rows: int) -> Matrix:
    """A column of ones before the `indicators` of the columns."""
    return np.hstack([np.ones((rows, 1)), indicators(given, rows)])
