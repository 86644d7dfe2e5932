"""Signs that keep a running sum near zero."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.compiling import compiled


@compiled
def balancing_signs(steps: Floats) -> Floats:
    """For each step down (-1) when the sum so far is not below zero, else up (Hoehne 2004)."""
    signs = np.empty(len(steps))
    ahead = 0.0
    for i in range(len(steps)):
        signs[i] = -1.0 if ahead >= 0.0 else 1.0
        ahead += signs[i] * steps[i]
    return signs
