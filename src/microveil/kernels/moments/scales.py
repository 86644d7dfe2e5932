"""Columns on a common scale, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.kernels.moments.central import constant_columns, standard_deviations

Kind = Literal["zscore", "range", "robust"]

_MAD_TO_SD = 1.482602218505602  # 1 / Phi^-1(3/4): equals the standard deviation for normal data
_MEAN_DEVIATION_TO_SD = 1.2533141373155003  # sqrt(pi / 2), likewise

_CELLS_AT_ONCE = 1 << 16  # of a matrix whose columns are turned together


@dataclass(frozen=True)
class Standardised:
    """Values on a common scale with the centre and scale of each column (scale 0: constant column)."""

    values: Floats
    centre: Floats
    scale: Floats

    def inverse(self, Z: Floats) -> Floats:
        """Z in the original units; constant columns come back as they were."""
        return np.asarray(Z * self.scale + self.centre)


def standardise(X: Floats, kind: Kind | None = "zscore") -> Standardised:
    """Centre and scale each column by its observed values; missing values stay missing.

    `zscore`: mean and standard deviation (divisor n - 1); `range`: minimum and range, values in [0, 1];
    `robust`: median and median absolute deviation times 1.4826 (Hampel 1974), with the mean absolute
    deviation where more than half of the values are tied; None: the values as they are.
    A constant column becomes zeros.
    """
    if kind not in ("zscore", "range", "robust", None):
        raise BadInput(f"kind={kind!r} is not one of 'zscore', 'range', 'robust', None")
    p = X.shape[1]
    if kind is None:
        return Standardised(X.copy(), np.zeros(p), np.ones(p))
    centre, scale = np.zeros(p), np.zeros(p)
    if kind == "zscore" and 0 < X.size <= _CELLS_AT_ONCE and not np.isnan(X).any():
        centre, scale = _means_and_deviations(X)
    else:
        for j in range(p):
            column = X[:, j]
            observed = column[~np.isnan(column)]
            if len(observed):
                centre[j], scale[j] = _centre_and_scale(observed, kind)
    values = X - centre
    values /= np.where(scale > 0, scale, 1.0)
    # what is left of a column that is constant up to rounding is not information
    values[:, scale == 0] *= 0.0
    return Standardised(values, centre, scale)


def _means_and_deviations(X: Floats) -> tuple[Floats, Floats]:
    """As `_centre_and_scale` of every column, to the last bit: of small files the calls would take most of the time."""
    centre, scale = X[0].copy(), np.zeros(X.shape[1])
    varies = np.flatnonzero(~constant_columns(X))
    if len(varies):
        columns = np.ascontiguousarray(X[:, varies].T)  # sums run along each column, as in one that stands alone
        centre[varies] += (columns - columns[:, :1]).mean(axis=1)
        scale[varies] = standard_deviations(X[:, varies])
    return centre, scale


def _centre_and_scale(x: Floats, kind: Kind) -> tuple[float, float]:
    if constant_columns(x[:, None])[0]:
        return float(x[0]), 0.0
    if kind == "range":
        low = float(x.min())
        return low, float(x.max()) - low
    if kind == "zscore":
        # about the first value: the mean of values far from zero keeps its digits
        centre = float(x[0] + (x - x[0]).mean())
        return centre, float(standard_deviations(x[:, None])[0])
    centre = float(np.median(x))
    deviations = np.abs(x - centre)
    scale = _MAD_TO_SD * float(np.median(deviations))
    if scale == 0.0:
        scale = _MEAN_DEVIATION_TO_SD * float(deviations.mean())
    return centre, scale
