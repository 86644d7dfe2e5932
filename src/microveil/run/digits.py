"""The digits of a column: to which unit its released values are rounded before they are written."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.data.microdata import Microdata
from microveil.data.units import round_to


def unit_of(source: Microdata, name: str) -> int | None:
    """The power of ten to which new amounts of the column are rounded; None where they are not."""
    if source.integers != "round":
        return None
    return source.unit(name)


def round_as_written(source: Microdata, name: str, numbers: Floats) -> Floats:
    """New values of a column of amounts in the digits of the source, as they will be written."""
    unit = unit_of(source, name)
    return numbers if unit is None else round_to(numbers, unit)


def are_copies(values: Floats, finer: Bools, source: Floats, origin: Ints) -> bool:
    """Whether cells were left or exchanged rather than computed: the finer values are the exceptions of the source.

    Computed values miss the unit in nine of ten cells or more, copied ones as rarely as the source does.
    """
    changed = (origin < 0) | (values != source[origin])
    if 2 * np.count_nonzero(finer & changed) > np.count_nonzero(changed & ~np.isnan(values)):
        return False
    return bool(np.isin(values[finer], source).all())
