"""Values put into a range without moving their mean: by one shift of all, or in proportion."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats

_NARROW = 1e-15  # of the spread: how near the shift is found


def has_mean_inside(values: Floats, low: float, high: float) -> bool:
    """Whether there are values, gaps aside, and their mean lies in the range; their order does not matter."""
    seen = _sorted(values)
    return len(seen) > 0 and bool(low <= seen.mean() <= high)


def shift_into(values: Floats, low: float, high: float) -> Floats:
    """All values less one number, cut off at the ends of the range, with the mean that they had.

    Cutting off alone would raise the mean of what lay below; the others give way for it. Values whose mean lies
    outside the range are cut off only. Gaps stay. The order of the values does not matter, to the last bit.

    >>> import numpy as np
    >>> shift_into(np.array([-3.0, 0.0, 2.0, 7.0]), 0.0, np.inf)
    array([0. , 0. , 0.5, 5.5])
    """
    inside = np.clip(values, low, high)
    if not has_mean_inside(values, low, high) or np.array_equal(inside, values, equal_nan=True):
        return inside
    from scipy.optimize import brentq

    seen = _sorted(values)
    mean, spread = float(seen.mean()), float(np.ptp(seen))

    def excess(shift: float) -> float:
        return float(np.clip(seen - shift, low, high).mean()) - mean

    shift = float(brentq(excess, -spread, spread, xtol=_NARROW * spread))
    return np.clip(values - shift, low, high)


def scale_into(values: Floats, low: float, high: float) -> Floats:
    """Values cut off at the ends of a range, then drawn towards one end until they have the mean that they had.

    Cutting off what lay below raises the mean: then all values come nearer to the lower end, each by the same share of
    its distance, so that small ones stay small and none but those cut off reaches the end. Values whose mean lies
    outside the range are cut off only. Gaps stay. The order of the values does not matter, to the last bit.

    >>> import numpy as np
    >>> scale_into(np.array([-3.0, 0.0, 2.0, 7.0]), 0.0, np.inf)
    array([0.        , 0.        , 1.33333333, 4.66666667])
    """
    inside = np.clip(values, low, high)
    if not has_mean_inside(values, low, high) or np.array_equal(inside, values, equal_nan=True):
        return inside
    seen = _sorted(values)
    mean, now = float(seen.mean()), float(np.clip(seen, low, high).mean())
    if mean == now:
        return inside
    end = low if now > mean else high
    return np.clip(end + (inside - end) * ((mean - end) / (now - end)), low, high)


def _sorted(values: Floats) -> Floats:
    """The observed values by size: sums of doubles depend on the order in which they are added."""
    return np.sort(values[~np.isnan(values)])
