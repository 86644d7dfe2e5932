"""Values put into a range without moving their mean: by one shift of all, or in proportion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

_NARROW = 1e-15  # of the spread: how near the shift is found


def shifted_into(values: Float, low: float, high: float) -> Float:
    """All values less one number, cut off at the ends of the range, with the mean that they had.

    Cutting off alone would raise the mean of what lay below; the others give way for it. Values whose mean lies
    outside the range are cut off only. Gaps stay.

    >>> import numpy as np
    >>> shifted_into(np.array([-3.0, 0.0, 2.0, 7.0]), 0.0, np.inf)
    array([0. , 0. , 0.5, 5.5])
    """
    seen = values[~np.isnan(values)]
    if not _gives_way(seen, low, high):
        return np.clip(values, low, high)
    from scipy.optimize import brentq

    mean, spread = float(seen.mean()), float(np.ptp(seen))

    def excess(shift: float) -> float:
        return float(np.clip(seen - shift, low, high).mean()) - mean

    shift = float(brentq(excess, -spread, spread, xtol=_NARROW * spread))
    return np.clip(values - shift, low, high)


def scaled_into(values: Float, low: float, high: float) -> Float:
    """Values cut off at the ends of a range, then drawn towards one end until they have the mean that they had.

    Cutting off what lay below raises the mean: then all values come nearer to the lower end, each by the same share of
    its distance, so that small ones stay small and none but those cut off reaches the end. Values whose mean lies
    outside the range are cut off only. Gaps stay.

    >>> import numpy as np
    >>> scaled_into(np.array([-3.0, 0.0, 2.0, 7.0]), 0.0, np.inf)
    array([0.        , 0.        , 1.33333333, 4.66666667])
    """
    seen, inside = values[~np.isnan(values)], np.clip(values, low, high)
    if not _gives_way(seen, low, high):
        return inside
    mean, now = float(seen.mean()), float(np.clip(seen, low, high).mean())
    end = low if now > mean else high
    return np.clip(end + (inside - end) * ((mean - end) / (now - end)), low, high)


def _gives_way(seen: Float, low: float, high: float) -> bool:
    """Whether cutting off moves a mean that lies in the range, so that the other values can make up for it."""
    return len(seen) > 0 and bool(low <= seen.mean() <= high) and bool(np.clip(seen, low, high).mean() != seen.mean())
