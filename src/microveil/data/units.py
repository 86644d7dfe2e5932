"""The unit of a column: the power of ten its values are multiples of, so that a release shows no finer digits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microveil.core.arrays import Floats

FINEST, COARSEST = -9, 9
BULK = 0.95  # of the values that are not zero; fewer exceptions than that would show up as exceptions anyway
# Trailing zeros of fewer or hardly different values may be chance, or belong to one frequent value.
FEWEST_VALUES = 20
FEWEST_DISTINCT = 5
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
    counted = values_that_count(values)
    if not len(counted):
        return 0
    # a few values, evenly spaced, tell the unit of nearly every column; a look at all of them proves it
    some = counted[:: spacing(len(counted))]
    if has_more_digits(some):
        return None
    coarsest = COARSEST if _can_tell_zeros(counted) else 0
    guess, settled = guess_unit(some, coarsest)
    if _are_bulk(counted, guess) and (settled or not _are_bulk(counted, guess + 1)):
        return guess
    if not _are_bulk(counted, FINEST):
        return None
    return coarsest_bulk(lambda unit: _share_of_multiples(counted, unit), coarsest)


def values_that_count(values: Floats) -> Floats:
    """Those that tell the unit: zeros and gaps do not."""
    return np.asarray(values[np.isfinite(values) & (values != 0)], dtype=np.float64)


def spacing(counted: int) -> int:
    """Every which of so many values is looked at first."""
    return max(1, counted // _LOOKED_AT_FIRST)


def has_more_digits(some: Floats) -> bool:
    """Whether some values tell that the bulk of all has more than nine decimals."""
    return _share_of_multiples(some, FINEST) < _HARDLY_BULK


def guess_unit(some: Floats, coarsest: int) -> tuple[int, bool]:
    """The unit of some values, and whether they say clearly that it is no coarser."""
    guess = coarsest_bulk(lambda unit: _share_of_multiples(some, unit), coarsest)
    return guess, guess == coarsest or _share_of_multiples(some, guess + 1) < _HARDLY_BULK


def coarsest_bulk(share: Callable[[int], float], coarsest: int) -> int:
    """The largest exponent of which the bulk are multiples; the smallest one if there is none."""
    low, high = FINEST, coarsest
    # what is a multiple of a power of ten is one of every smaller power: halve the range
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if share(middle) >= BULK else (low, middle - 1)
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
    return count_multiples(values, unit) / len(values)


def count_multiples(values: Floats, unit: int) -> int:
    """How many of the values, of which none is missing, are multiples of ten to the power `unit`."""
    if not len(values):
        return 0
    if unit <= 0:
        with np.errstate(over="ignore"):
            scaled = values * 10.0**-unit
        if max(scaled.max(), -scaled.min()) < 2.0**53:
            # what `round_to` gives, without looking at every value for its size
            np.rint(scaled, out=scaled)
            scaled /= 10.0**-unit
            return int(np.count_nonzero(scaled == values))
    multiples = round_to(values, unit) == values
    if unit > 0:
        multiples &= np.abs(values) < 2.0**53
    return int(np.count_nonzero(multiples))


def _can_tell_zeros(values: Floats) -> bool:
    if len(values) < FEWEST_VALUES:
        return False
    # a few values settle it for most columns
    return len(np.unique(values[:1000])) >= FEWEST_DISTINCT or len(np.unique(values)) >= FEWEST_DISTINCT
