"""Claims of noise methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.claims import EXACT, Claim, Evidence


@dataclass(frozen=True)
class RelativeChangeWithin(Claim):
    """No value changes by more than a share of itself; zeros stay zero."""

    text = "no value changes by more than {share:.4g} of itself"
    share: float = 0.0

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        x, y = evidence.before[evidence.origin], evidence.after
        # what rounding to units may add to a change is not the method's
        change = np.maximum(np.abs(y - x) - evidence.half_unit - self.share * np.abs(x), 0.0) / evidence.scale
        return float(np.nanmax(change, initial=0.0)), EXACT, 0.0
