"""Values as numbers of classes, for claims that count combinations."""

from __future__ import annotations

import numpy as np

from microveil.core import ordering
from microveil.core.arrays import Codes, Matrix
from microveil.kernels.tables.classes import group_rows


def code_values(column: Matrix) -> Codes:
    """Values numbered in increasing order, a missing one as a value of its own."""
    return ordering.distinct(np.where(np.isnan(column), -np.inf, column))[1]


def distinct(*columns: Codes) -> int:
    """The number of different codes, or combinations of codes."""
    return len(group_rows(np.column_stack(columns))[1])
