"""Averages of groups of records with attributes of any kind."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.mixed import MixedMetric, average_rows


@compiled
def average_groups(values: Floats, order: Ints, start: Ints, times: Ints, metric: MixedMetric) -> Floats:
    """The average record of each group; group g holds the rows order[start[g]:start[g + 1]], each so many times."""
    out = np.empty((len(start) - 1, values.shape[1]))
    for g in range(len(start) - 1):
        average_rows(values, order[start[g] : start[g + 1]], times, metric, out[g])
    return out
