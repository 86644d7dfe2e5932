"""The chance of finding a person among all who share the keys, when a sample tells how many these are."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints

_TERMS = 60
_SMALL = 30


def individual_risk(f: Ints, F: Floats, method: str = "exact") -> Floats:
    """E(1/F | f) when f sample records and an estimated F population records share the keys.

    F given f is f plus a negative binomial number of failures with probability p = f/F, so that the risk
    is p^f/f 2F1(f, f; f + 1; q), q = 1 - p, which equals p/f 2F1(1, 1; f + 1; q): all terms positive.
    `approximate` uses p/(f - q) for f > 2.
    """
    # two numbers as one complex number: sorted many times faster than rows
    pairs, where = np.unique(f + 1j * F, return_inverse=True)
    size, total = pairs.real, np.maximum(pairs.imag, pairs.real)
    p = size / total
    risk = _expected_inverse(size, p)
    if method == "approximate":
        risk = np.where(size > 2, p / (size - (1.0 - p)), risk)
    return np.asarray(np.clip(risk, 1.0 / total, 1.0 / size)[where.reshape(-1)])


def _expected_inverse(f: Floats, p: Floats) -> Floats:
    """p/f 2F1(1, 1; f + 1; 1 - p) to rounding error, for any f >= 1 and 0 < p <= 1."""
    q = 1.0 - p
    term, total = np.ones_like(p), np.ones_like(p)
    for j in range(_TERMS):
        term = term * (j + 1) * q / (f + 1 + j)
        total = total + term
    risk = p / f * total
    # the series is slow for few records and small p; there the recursion over f damps its errors by p/q < 1
    slow = (f <= _SMALL) & (p < 0.5)
    f, p, q = f[slow], p[slow], q[slow]
    found = step = -p / q * np.log(p)
    for i in range(1, _SMALL):
        step = p / q * (1.0 / i - step)
        found = np.where(f == i + 1, step, found)
    risk[slow] = found
    return risk
