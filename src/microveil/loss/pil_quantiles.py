"""Standardised changes of quantiles: a density-free rule and two density rules."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats

_ROUNDING = 1e-9  # of a record: products such as 0.15 * 1080 are not whole numbers in binary


def rank_gaps(x: Floats, y: Floats, q: Floats) -> Floats:
    """How far q lies from the ranks that the protected file's q-quantile has in the original file.

    `x` and `y` are sorted. A value of tied records has an interval of ranks: the gap is 0 inside it.
    """
    position = np.maximum(np.ceil(len(y) * q - _ROUNDING).astype(np.int64), 1) - 1
    released = y[position]
    low = np.searchsorted(x, released, "left") / len(x)
    high = np.searchsorted(x, released, "right") / len(x)
    return gaps_at(low, high, q)


def gaps_at(low: Floats, high: Floats, q: Floats) -> Floats:
    """How far shares lie from those of the original below a value, and below or at it."""
    gap = np.maximum(low - q, q - high)
    return np.where(gap > _ROUNDING, gap, 0.0)


def scores_of(gaps: Floats, q: Floats, size: int) -> Floats:
    """Rank gaps in standard errors of a sample of the protected file's size."""
    return np.asarray(gaps / np.sqrt(q * (1 - q) / size))


class DensityScores(NamedTuple):
    """Changes of quantiles in standard errors, and which changed ones lie where the window holds no record."""

    scores: Floats
    empty: Bools


def density_scores(x: Floats, y: Floats, q: Floats, epsilon: float, own_record: bool) -> DensityScores:
    """Changes of quantiles in standard errors sqrt(q (1 - q) / n') / f, f a count in a window around the quantile.

    The window is open and reaches `epsilon` times the range to either side. Where it holds no record f is 0, the
    standard error infinite and the score 0, as the formula says. With `own_record` quantiles are
    interpolated at (n + 1) q and one record of the window does not count. `x` and `y` are sorted.
    """
    method: Literal["weibull", "linear"] = "weibull" if own_record else "linear"
    before, after = np.quantile(x, q, method=method), np.quantile(y, q, method=method)
    change = np.abs(after - before)
    half = epsilon * float(x[-1] - x[0])
    if half == 0.0:
        scores = np.where(change <= 1e-12 * np.abs(before), 0.0, np.inf)
        return DensityScores(scores, np.zeros(len(q), dtype=np.bool_))
    changed = change > 1e-9 * float(x[-1] - x[0])
    inside = np.searchsorted(x, before + half, "left") - np.searchsorted(x, before - half, "right") - int(own_record)
    f = np.maximum(inside, 0) / (len(x) * 2 * half)
    return DensityScores(np.where(changed, change * f / np.sqrt(q * (1 - q) / len(y)), 0.0), changed & (inside <= 0))
