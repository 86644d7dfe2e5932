"""The digits that numbers are written with, and whether they tell changed amounts from others."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints

_DECIMALS = 9
_ROUNDING = 1e-11  # relative: a number this near to a whole one is one


def telling_digits(shown: Floats, known: Floats) -> tuple[float, int]:
    """How far the decimals of changed and of other amounts lie apart, and of how many amounts there are fewer.

    Changed is what the original has nowhere. Two kinds are looked at nowhere, since their value shows what their digits
    would: 0, which has no decimals, changed or not, and which amounts often are; and the ends of the column, which are
    the one value that coded tails have (4000 for all from 4000 on).
    """
    shown = shown[~np.isnan(shown)]
    if len(shown):
        shown = shown[(shown != 0) & (shown != shown.min()) & (shown != shown.max())]
    kept = np.isin(shown, np.unique(known))
    fewer = int(min(kept.sum(), (~kept).sum()))
    return (_largest_difference(digits_of(shown), kept) if fewer else 0.0), fewer


def digits_of(x: Floats) -> Ints:
    """The decimals of each number other than 0; below 0: the zeros at its end."""
    out = np.full(len(x), _DECIMALS + 1, dtype=np.int64)
    for digits in range(_DECIMALS, -_DECIMALS - 1, -1):
        scaled = x * 10.0**digits
        whole = np.round(scaled)
        out[(whole != 0) & (np.abs(scaled - whole) <= _ROUNDING * np.abs(scaled))] = digits
    return out


def _largest_difference(digits: Ints, kept: Bools) -> float:
    return max(
        abs(float((digits[kept] <= border).mean() - (digits[~kept] <= border).mean())) for border in np.unique(digits)
    )
