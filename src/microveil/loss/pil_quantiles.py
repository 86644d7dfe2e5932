"""Standardised changes of quantiles: a density-free rule and two density rules."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

_ROUNDING = 1e-9  # of a record: products such as 0.15 * 1080 are not whole numbers in binary


def rank_gaps(x: Float, y: Float, q: Float) -> Float:
    """How far q lies from the ranks that the protected file's q-quantile has in the original file.

    `x` and `y` are sorted. A value of tied records has an interval of ranks: the gap is 0 inside it.
    """
    position = np.maximum(np.ceil(len(y) * q - _ROUNDING).astype(np.int64), 1) - 1
    released = y[position]
    low = np.searchsorted(x, released, "left") / len(x)
    high = np.searchsorted(x, released, "right") / len(x)
    gap = np.maximum(low - q, q - high)
    return np.where(gap > _ROUNDING, gap, 0.0)


def rank_scores(x: Float, y: Float, q: Float) -> Float:
    """Rank gaps in standard errors of a sample of the protected file's size."""
    return np.asarray(rank_gaps(x, y, q) / np.sqrt(q * (1 - q) / len(y)))


def density_scores(x: Float, y: Float, q: Float, epsilon: float, own_record: bool) -> Float:
    """Changes of quantiles in standard errors sqrt(q (1 - q) / n') / f, f a count in a window around the quantile.

    The window is `epsilon` times the range to either side and doubles while it is empty. With
    `own_record` quantiles are interpolated at (n + 1) q and one record of the window does not count.
    """
    method: Literal["weibull", "linear"] = "weibull" if own_record else "linear"
    before, after = np.quantile(x, q, method=method), np.quantile(y, q, method=method)
    change = np.abs(after - before)
    span = float(x[-1] - x[0])
    same = change <= 1e-9 * span
    if span == 0.0:
        return np.where(change <= 1e-12 * np.abs(before), 0.0, np.inf)
    f = _densities(x, before, epsilon * span, int(own_record))
    return np.where(same, 0.0, change * f / np.sqrt(q * (1 - q) / len(y)))


def _densities(x: Float, at: Float, half: float, not_counted: int) -> Float:
    width = np.full(len(at), half)
    while True:
        inside = np.searchsorted(x, at + width, "left") - np.searchsorted(x, at - width, "right") - not_counted
        empty = inside <= 0
        if not empty.any() or bool((width[empty] > x[-1] - x[0]).all()):
            return np.asarray(np.maximum(inside, 0) / (len(x) * 2 * width))
        width = np.where(empty, 2 * width, width)
