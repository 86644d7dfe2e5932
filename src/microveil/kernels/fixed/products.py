"""Rows times a small matrix, every row by the same operations in the same order."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.compiling import compiled


def times(X: Floats, T: Floats) -> Floats:
    """X T with the columns of X taken one after the other: a row's result depends on no other row and on no library."""
    return _times(np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(T, dtype=np.float64))


@compiled
def _times(X: Floats, T: Floats) -> Floats:
    n, p = X.shape
    q = T.shape[1]
    result = np.zeros((n, q))
    for i in range(n):
        for k in range(p):
            x = X[i, k]
            for j in range(q):
                result[i, j] += x * T[k, j]
    return result
