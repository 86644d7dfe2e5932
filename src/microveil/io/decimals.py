"""Decimals of a column: how many the source had, so that a release shows no more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_DECIMALS = 9


def observed_decimals(values: NDArray[np.float64]) -> int | None:
    """The fewest decimals that write every value exactly, None when more than nine are needed.

    >>> observed_decimals(np.array([0.25, 1.5, 3.0])), observed_decimals(np.array([1 / 3]))
    (2, None)
    """
    finite = values[np.isfinite(values)]
    for decimals in range(MOST_DECIMALS + 1):
        if np.array_equal(round_to(finite, decimals), finite):
            return decimals
    return None


def round_to(values: NDArray[np.float64], decimals: int) -> NDArray[np.float64]:
    """The nearest numbers with so many decimals, each the one that its shortest text gives back."""
    scale = 10.0**decimals
    scaled = values * scale
    # beyond 2^53 every number is whole already
    return np.where(np.abs(scaled) < 2.0**53, np.rint(scaled) / scale, values) + 0.0
