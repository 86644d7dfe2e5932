"""A share of records, as measures of re-identification give it."""

from __future__ import annotations

import numpy as np


def share_interval(percent: float, records: int) -> tuple[float, float]:
    """95 % interval of a share of records in per cent, the records seen as a sample (Wilson 1927)."""
    z, n, p = 1.959963984540054, max(records, 1), percent / 100
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(max(p * (1 - p), 0.0) / n + z * z / (4 * n * n))
    # rounding must not push an end past the share itself
    return float(100 * min(centre - half, p)), float(100 * max(centre + half, p))
