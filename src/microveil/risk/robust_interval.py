"""Interval disclosure with wider intervals around outliers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.core.measured import Measured, NotApplicable
from microveil.core.parameters import Grid, Range
from microveil.measure import Pair
from microveil.risk.files import Standardise
from microveil.risk.intervals import IntervalDisclosure, halves_in_deviations


@dataclass(frozen=True, kw_only=True)
class RobustInterval(IntervalDisclosure, name="robust-interval"):
    """Per cent of true values within p % of a standard deviation times their record's outlyingness (RMDID).

    Use it where outliers are what an intruder looks for: they are recognised by values that are only roughly right. The
    half-width grows with the robust Mahalanobis distance of the record from the bulk of the original, 2 or 3 for an
    ordinary record of a few attributes. With `crowd` a record is safe that has so many other released records within
    `crowd_within` standard deviations of its own. sdcMicro's `dRiskRMD(k)` is widths=(5 k,) with rule="any",
    standardise="own", centre="mean" and, for `risk2`, crowd=1. A value released as a class counts without
    outlyingness.
    Reference: Templ 2006; Templ & Meindl 2008.
    """

    title: ClassVar[str] = "Robust interval disclosure"
    reference: ClassVar[str] = "Templ & Meindl 2008"
    nearness: ClassVar[str] = "within, in standard deviations times outlyingness,"

    standardise: Standardise = "original"
    centre: Annotated[
        Literal["robust", "mean"], Grid(("robust", "mean")), "outlyingness is the distance from the bulk, or the mean"
    ] = "robust"
    crowd: Annotated[
        int, Range(ge=0, grid=(0, 1)), "so many other released records nearby make a record safe; 0: none do"
    ] = 0
    crowd_within: Annotated[float, Range(gt=0, grid=(0.05,)), "how near they must be, in standard deviations"] = 0.05

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        amounts = [name for name in pair.columns if not pair.recoded(name)]
        before = pair.tables(amounts)[0].matrix(amounts)[pair.linked_rows[0]]
        complete = int((~np.isnan(before).any(axis=1)).sum())
        if amounts and complete < 2 * (len(amounts) + 1):
            return self.not_applicable(
                f"{complete} complete records are too few to tell outliers among {len(amounts)} attributes"
            )
        return super().measure(pair)

    def intervals(self, X: Floats, Y: Floats, every: Floats) -> Callable[[float], Floats]:
        from microveil.kernels.moments.scales import standardise

        original = standardise(X)
        released = original if self.standardise == "original" else standardise(every)
        scaled = (X - original.centre) / _nonzero(original.scale)
        A, B, C = (
            scaled,
            (Y - released.centre) / _nonzero(released.scale),
            (every - released.centre) / _nonzero(released.scale),
        )
        reach = outlyingness(A, self.centre == "robust")[:, None]
        safe = _crowded(B, C, self.crowd, self.crowd_within)[:, None]
        change = np.abs(A - B)
        slack = 1e-12 * (1.0 + np.nanmax(np.abs(C), axis=0, initial=0.0))

        def disclosed(width: float) -> Floats:
            with np.errstate(invalid="ignore"):
                return np.asarray((change <= width / 100.0 * reach + slack) & ~safe, dtype=np.float64)

        return disclosed

    def half_widths(self, low: Floats, high: Floats, observed: Floats) -> Floats:
        return halves_in_deviations(low, high, observed)


def _nonzero(scale: Floats) -> Floats:
    return np.where(scale > 0, scale, 1.0)


def outlyingness(X: Floats, robust_centre: bool) -> Floats:
    """The robust Mahalanobis distance of each record; over the attributes it has, scaled up to all, if it has gaps."""
    from microveil.kernels.moments.robust import robust_moments, squared_distances

    gaps = np.isnan(X)
    centre, covariance = robust_moments(X[~gaps.any(axis=1)])
    if not robust_centre:
        centre = np.nanmean(np.sort(X, axis=0), axis=0)
    out = np.zeros(len(X))
    patterns, which = np.unique(gaps, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        rows, has = which.reshape(-1) == k, ~pattern
        if has.any():
            found = squared_distances(X[np.ix_(rows, has)], centre[has], covariance[np.ix_(has, has)])
            out[rows] = np.sqrt(found * X.shape[1] / has.sum())
    return out


def _crowded(Y: Floats, every: Floats, crowd: int, within: float) -> Bools:
    """Whether that many released records beside its own lie within a distance of a record; not if it has gaps."""
    from scipy.spatial import cKDTree

    out = np.zeros(len(Y), dtype=np.bool_)
    whole, others = ~np.isnan(Y).any(axis=1), every[~np.isnan(every).any(axis=1)]
    if crowd and whole.any() and len(others) > crowd:
        apart = cKDTree(others).query(Y[whole], crowd + 1)[0]
        out[whole] = apart[:, -1] <= within
    return out
