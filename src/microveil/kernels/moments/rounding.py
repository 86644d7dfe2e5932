"""Rounding that keeps sums: in every group as many values go up as the sum asks for."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints

_NEAR = 1e-6  # of a unit: a sum of so little more than a whole number of units is whole but for its doubles


def round_keeping_sums(x: Floats, unit: float, labels: Ints) -> Floats:
    """The values in whole units, none moved by a unit or more, with the sum of every group rounded to units.

    Of each group the values with the largest remainders go up (equal ones: the first), the others down. Gaps stay.
    Labels number the groups from 0. A sum that is whole stays exactly as it was.

    >>> round_keeping_sums(np.array([0.4, 0.4, 0.4, 0.8, 7.0]), 1.0, np.zeros(5, dtype=np.int64))
    array([1., 0., 0., 1., 7.])
    """
    steps = x / unit
    down = np.floor(steps + _NEAR)
    left = np.clip(np.where(np.isnan(steps), 0.0, steps - down), 0.0, 1.0)
    groups = int(labels.max(initial=-1)) + 1
    ups = np.rint(np.bincount(labels, weights=left, minlength=groups)).astype(np.int64)
    # by group, the largest remainder first, gaps last
    order = np.lexsort((np.where(np.isnan(steps), 2.0, -left), labels))
    first = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=groups))])[labels[order]]
    goes_up = np.zeros(len(x), dtype=np.bool_)
    goes_up[order] = np.arange(len(x)) - first < ups[labels[order]]
    return np.asarray((down + goes_up) * unit, dtype=np.float64)
