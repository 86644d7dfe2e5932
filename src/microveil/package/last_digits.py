"""Numbers that differ from short ones by their last bits alone: they read the same, and can mark records."""

from __future__ import annotations

import numpy as np

from microveil.data.microdata import Microdata

_EXACT, _SHORT = 15, 12  # digits that programs write without loss, and that a number has which is no computed one


def has_last_digits(data: Microdata, name: str) -> bool:
    """Whether some short numbers of a column, as 12.5, are stored as their neighbours, and others are not."""
    if name not in data.columns or not data.narwhal.get_column(name).dtype.is_float():
        return False
    numbers = data.values(name, "continuous").numbers
    numbers = np.unique(numbers[np.isfinite(numbers)])
    told = [f"{number:.{_EXACT}g}" for number in numbers]
    short = np.array([f"{float(text):.{_SHORT}g}" == f"{float(text):.{_EXACT}g}" for text in told], dtype=bool)
    exact = np.array(list(map(float, told))) == numbers
    return bool((short & ~exact).any() and (short & exact).any())
