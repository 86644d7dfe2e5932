"""The columns of local synthesis by kind, and as matrices that mean the same in every part of a file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microveil.core.arrays import Ints, Matrix
from microveil.data.table import Table


def by_kind(table: Table) -> tuple[Table, Table]:
    """The columns of numbers, and those of categories."""
    numbers = [name for name in table.names if table[name].levels is None]
    return table.only(numbers), table.only(name for name in table.names if table[name].levels is not None)


def numbers_beside(table: Table, given: Table) -> Matrix:
    """The numbers that are replaced and those that are kept."""
    both = (*table.columns.values(), *given.columns.values())
    numbers = [values.numbers[:, None] for values in both if values.levels is None]
    return np.hstack([np.zeros((table.rows, 0)), *numbers])


def kept_indicators(given: Table, rows: int, seen: Mapping[str, Ints]) -> Matrix:
    """Columns as numbers, as `indicators` has them where all records are at hand: `seen` are their categories."""
    parts = [np.zeros((rows, 0))]
    for name, values in given.columns.items():
        if values.levels is None:
            parts.append(values.numbers[:, None])
        else:
            parts.append(np.equal.outer(values.data, seen[name][1:]).astype(np.float64))
    return np.hstack(parts)
