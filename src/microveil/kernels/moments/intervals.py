"""Intervals about estimates: how much two of them have in common."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats


def interval_overlap(low: Floats, high: Floats, other_low: Floats, other_high: Floats) -> Floats:
    """Mean share of two intervals that they have in common: negative where they do not meet, NaN without a width.

    Reference: Karr, Kohnen, Oganian, Reiter & Sanil 2006.

    >>> import numpy as np
    >>> float(interval_overlap(np.array([0.0]), np.array([2.0]), np.array([1.0]), np.array([3.0]))[0])
    0.5
    """
    common = np.minimum(high, other_high) - np.maximum(low, other_low)
    widths = np.array([high - low, other_high - other_low])
    shares = np.full(widths.shape, np.nan)
    np.divide(common, widths, out=shares, where=(widths > 0).all(axis=0))
    return np.asarray(0.5 * shares.sum(axis=0))
