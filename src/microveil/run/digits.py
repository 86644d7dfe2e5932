"""The digits of a column: to which unit its released values are rounded before they are written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microveil.data.microdata import Microdata
from microveil.data.units import observed_unit, round_to

_LOOKED_AT_FIRST = 2000


def round_as_written(source: Microdata, name: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """New values of a column of amounts in the digits of the source, as they will be written."""
    exponent = _exponent(source, name)
    return numbers if exponent is None else round_to(numbers, exponent)


def _exponent(source: Microdata, name: str) -> int | None:
    """The power of ten that the values are multiples of; None where they are not rounded."""
    if source.integers != "round":
        return None
    series = source.narwhal.get_column(name)
    numbers = source.values(name, "continuous").numbers
    first = numbers[:_LOOKED_AT_FIRST]
    if series.dtype.is_float() and np.isfinite(first).any() and observed_unit(first) is None:
        return None  # a column of full precision: a few values tell
    return observed_unit(numbers)
