"""The unit of a column: the power of ten its values are multiples of, so that a release shows no finer digits."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats

FINEST, COARSEST = -9, 9
BULK = 0.95  # of the values that are not zero; fewer exceptions than that would show up as exceptions anyway
# Trailing zeros of fewer or hardly different values may be chance, or belong to one frequent value.
_FEWEST_VALUES = 20
_FEWEST_DISTINCT = 5
_LOOKED_AT_FIRST = 2000
_HARDLY_BULK = 0.8  # of so many values: then the bulk of all of them is not


def observed_unit(values: Floats) -> int | None:
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
    # a few values, evenly spaced, tell the unit of nearly every column; a look at all of them proves it
    some = counted[:: max(1, len(counted) // _LOOKED_AT_FIRST)]
    if _share_of_multiples(some, FINEST) < _HARDLY_BULK:
        return None
    coarsest = COARSEST if _can_tell_zeros(counted) else 0
    guess = _coarsest_bulk(some, coarsest)
    settled = guess == coarsest or _share_of_multiples(some, guess + 1) < _HARDLY_BULK
    if _are_bulk(counted, guess) and (settled or not _are_bulk(counted, guess + 1)):
        return guess
    return _coarsest_bulk(counted, coarsest) if _are_bulk(counted, FINEST) else None


def _coarsest_bulk(values: Floats, coarsest: int) -> int:
    """The largest exponent of which the bulk are multiples; the smallest one if there is none."""
    low, high = FINEST, coarsest
    # what is a multiple of a power of ten is one of every smaller power: halve the range
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _are_bulk(values, middle) else (low, middle - 1)
    return low


def round_to(values: Floats, unit: int) -> Floats:
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


def _are_bulk(values: Floats, unit: int) -> bool:
    return _share_of_multiples(values, unit) >= BULK


def _share_of_multiples(values: Floats, unit: int) -> float:
    if unit <= 0:
        with np.errstate(over="ignore"):
            scaled = values * 10.0**-unit
        if max(scaled.max(), -scaled.min()) < 2.0**53:
            # what `round_to` gives, without looking at every value for its size
            np.rint(scaled, out=scaled)
            scaled /= 10.0**-unit
            return np.count_nonzero(scaled == values) / len(values)
    multiples = round_to(values, unit) == values
    if unit > 0:
        multiples &= np.abs(values) < 2.0**53
    return np.count_nonzero(multiples) / len(values)


def _can_tell_zeros(values: Floats) -> bool:
    if len(values) < _FEWEST_VALUES:
        return False
    # a few values settle it for most columns
    return len(np.unique(values[:1000])) >= _FEWEST_DISTINCT or len(np.unique(values)) >= _FEWEST_DISTINCT
