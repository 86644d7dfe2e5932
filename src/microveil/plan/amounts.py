"""What is asked of a column of amounts before a plan is proposed: whether it is coarse, and whether it has gaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from microveil.data.microdata import Microdata

_COARSE = 0.05  # a unit beyond this share of a spread: such numbers cannot keep exact moments


def is_coarse(data: Microdata, name: Any) -> bool:
    """Whether the digits of a column are much of its spread, so that nothing computed stays exact in them."""
    unit = data.unit(name)
    return unit is not None and 10.0**unit > _COARSE * float(np.nanstd(data.values(name, "continuous").numbers))


def has_gaps(data: Microdata, name: Any) -> bool:
    """Whether a value of a column of numbers is missing."""
    return bool(np.isnan(data.values(name, "continuous").numbers).any())
