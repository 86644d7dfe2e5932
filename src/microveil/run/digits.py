"""The digits of a column: the unit to which its released values are rounded."""

from __future__ import annotations

import numpy as np

from microveil.data.microdata import Microdata
from microveil.data.units import observed_unit

_LOOKED_AT_FIRST = 2000


def unit_of(source: Microdata, name: str) -> float:
    """The unit to which new values of the column are rounded before they are written, 0 where they are not."""
    if source.integers != "round":
        return 0.0
    series = source.narwhal.get_column(name)
    if not series.dtype.is_numeric():
        return 0.0
    numbers = source.values(name, "continuous").numbers
    first = numbers[:_LOOKED_AT_FIRST]
    if series.dtype.is_float() and np.isfinite(first).any() and observed_unit(first) is None:
        return 0.0  # a column of full precision: a few values tell
    exponent = observed_unit(numbers)
    return 0.0 if exponent is None else 10.0**exponent
