"""Values as numbers of classes, for claims that count combinations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


def coded(column: Matrix) -> Codes:
    """Values numbered in increasing order, a missing one as a value of its own."""
    return np.unique(np.where(np.isnan(column), -np.inf, column), return_inverse=True)[1].astype(np.int64)


def crossed(columns: Sequence[Codes]) -> Codes:
    """One number for each combination of codes, numbered anew after every column so that they stay small."""
    labels, *others = columns
    for codes in others:
        labels = np.unique(labels * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
    return labels.astype(np.int64)


def distinct(codes: Codes) -> int:
    """The number of different codes."""
    return len(np.unique(codes))
