"""The unit of a column: the power of ten its values are multiples of, so that a release shows no finer digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FINEST, COARSEST = -9, 9
BULK = 0.95  # of the values that are not zero; fewer exceptions than that would show up as exceptions anyway
# Trailing zeros of fewer or hardly different values may be chance, or belong to one frequent value.
_FEWEST_VALUES = 20
_FEWEST_DISTINCT = 5


def observed_unit(values: NDArray[np.float64]) -> int | None:
    """The largest exponent from 9 down to -9 such that the bulk of the values are multiples of that power of ten.

    Zeros and gaps do not count. None when the bulk has more than nine decimals.

    >>> observed_unit(np.array([0.25, 1.5, 3.0])), observed_unit(np.array([1 / 3]))
    (-2, None)
    >>> observed_unit(np.arange(1.0, 30.0) * 1000)
    3
    """
    counted = values[np.isfinite(values) & (values != 0)]
    if not len(counted):
        return 0
    if not _are_bulk(counted, FINEST):
        return None
    low, high = FINEST, COARSEST if _can_tell_zeros(counted) else 0
    # what is a multiple of a power of ten is one of every smaller power: halve the range
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _are_bulk(counted, middle) else (low, middle - 1)
    return low


def round_to(values: NDArray[np.float64], unit: int) -> NDArray[np.float64]:
    """The nearest multiples of ten to the power `unit`, each the number that its shortest text gives back."""
    if unit > 0:
        scaled = np.rint(values / 10.0**unit) * 10.0**unit
        return np.where(np.abs(values) < 2.0**53, scaled, values) + 0.0
    scale = 10.0**-unit
    with np.errstate(over="ignore"):
        scaled = values * scale
    # beyond 2^53 every number is whole already
    return np.where(np.abs(scaled) < 2.0**53, np.rint(scaled) / scale, values) + 0.0


def said(unit: int) -> str:
    """The unit in words."""
    if unit > 0:
        return f"multiples of {10**unit}"
    return f"{-unit} decimal{'s' * (unit != -1)}"


def _are_bulk(values: NDArray[np.float64], unit: int) -> bool:
    multiples = round_to(values, unit) == values
    if unit > 0:
        multiples &= np.abs(values) < 2.0**53
    return bool(np.count_nonzero(multiples) >= BULK * len(values))


def _can_tell_zeros(values: NDArray[np.float64]) -> bool:
    if len(values) < _FEWEST_VALUES:
        return False
    # a few values settle it for most columns
    return len(np.unique(values[:1000])) >= _FEWEST_DISTINCT or len(np.unique(values)) >= _FEWEST_DISTINCT
