"""Amounts of one column that are nearly those of the original, whatever row they stand in."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats

_NEAR = 0.1  # of the distance from the original amount to its own neighbour
_MOST_DIGITS = 9  # behind the point, and before it, to which a column may be rounded
_FEWEST = 20


def near_amounts(original: Floats, shown: Floats) -> float | None:
    """Per cent of the amounts shown that are ten times nearer to an original one than its neighbour is."""
    known, shown = np.unique(original[np.isfinite(original)]), shown[np.isfinite(shown)]
    if min(len(known), len(shown)) < _FEWEST:
        return None
    gaps = np.diff(known)
    apart = np.minimum(np.append(gaps, np.inf), np.insert(gaps, 0, np.inf))
    right = np.clip(np.searchsorted(known, shown), 1, len(known) - 1)
    nearest = np.where(shown - known[right - 1] <= known[right] - shown, right - 1, right)
    return float(100.0 * np.mean(np.abs(shown - known[nearest]) <= _NEAR * apart[nearest]))


def rounded_like(amounts: Floats, shown: Floats) -> Floats:
    """Amounts with as many digits as those shown have: files are rounded as they are written, and runs are not."""
    whole = shown[np.isfinite(shown)]
    for digits in range(-_MOST_DIGITS, _MOST_DIGITS):
        if np.allclose(np.round(whole, digits), whole, rtol=1e-12, atol=0):
            return np.round(amounts, digits)
    return amounts
