"""Values as numbers of classes, for claims that count combinations."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Codes, Matrix
from microveil.kernels.tables.classes import group_rows


def code_values(column: Matrix) -> Codes:
    """Values numbered in increasing order, a missing one as a value of its own."""
    return np.unique(np.where(np.isnan(column), -np.inf, column), return_inverse=True)[1].astype(np.int64)


def distinct(*columns: Codes) -> int:
    """The number of different codes, or combinations of codes."""
    return len(group_rows(np.column_stack(columns))[1])
