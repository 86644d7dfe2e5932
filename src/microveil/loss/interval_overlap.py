"""Overlap of confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.kernels.moments.intervals import interval_overlap
from microveil.loss.regressions import RegressionLoss
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class IntervalOverlap(RegressionLoss, name="interval-overlap"):
    """How much confidence intervals computed from the two files overlap: 1 for identical ones.

    Use it to judge whether analysts would draw the same conclusions. Intervals of the means of all continuous
    columns and of regression coefficients (formulas given, or each column on all others). Disjoint intervals
    count negative, the further apart the more, unless clipped at 0.
    Reference: Karr, Kohnen, Oganian, Reiter & Sanil 2006, A framework for evaluating the utility of data
    altered to protect confidentiality.
    """

    level: Annotated[float, Range(gt=0, lt=1, grid=(0.9, 0.95, 0.99)), "confidence level"] = 0.95
    clip: Annotated[bool, Grid((False, True)), "whether disjoint intervals count as 0"] = False

    better = "higher"
    bounds = (-float("inf"), 1.0)
    title = "Overlap of confidence intervals"
    reference = "Karr et al. 2006"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        fits, notes = self.fits(pair)
        means = self._means(pair)
        found = {"means": means} if len(means) else {}
        overlaps = [
            self._overlaps(x.coefficients, x.errors, x.freedom, y.coefficients, y.errors, y.freedom)
            for _, x, y in fits
            if not x.perfect
        ]
        if overlaps:
            found["coefficients"] = np.concatenate(overlaps)
        if not any(len(values) for values in found.values()):
            return self.not_applicable("there is no interval with a width: every column is constant or fitted exactly")
        parts = {name: float(values.mean()) for name, values in found.items() if len(values)}
        every = np.concatenate(list(found.values()))
        value = float(every.mean())
        return self.measured(
            value,
            parts={
                **parts,
                "clipped at 0": float(np.maximum(every, 0.0).mean()),
                "disjoint": float((every <= 0).mean()),
            },
            bounds=(0.0, 1.0) if self.clip else self.bounds,
            reading=f"{100 * self.level:g} % confidence intervals of means of amounts and of regression coefficients "
            f"({', '.join(self.formulas) if self.formulas else 'each amount on all others'}) overlap by "
            f"{format_number(100 * np.maximum(every, 0.0).mean())} % of their width on average, where those that "
            f"lie apart count as 0; {format_number(100 * (every <= 0).mean())} % of them lie apart."
            + ("" if self.clip else " The figure counts the gap between those as less than 0."),
            notes=notes,
        )

    def _means(self, pair: Pair) -> Matrix:
        names = [name for name in pair.columns if pair.before.kinds[name] == "continuous"]
        found = []
        for name in names:
            x, y = (table[name].numbers for table in pair.tables([name]))
            x, y = x[~np.isnan(x)], y[~np.isnan(y)]
            if min(len(x), len(y)) < 2:
                continue
            centre, error = _mean_and_error(x)
            centre_after, error_after = _mean_and_error(y)
            found.append(
                self._overlaps(
                    np.array([centre]), np.array([error]), len(x) - 1,
                    np.array([centre_after]), np.array([error_after]), len(y) - 1,
                )
            )  # fmt: skip
        return np.concatenate(found) if found else np.zeros(0)

    def _overlaps(self, b: Matrix, se: Matrix, df: int, b_after: Matrix, se_after: Matrix, df_after: int) -> Matrix:
        from scipy.special import stdtrit  # the quantile of Student's t: all of scipy.stats would take a second to load

        half = stdtrit(df, (1 + self.level) / 2) * se
        half_after = stdtrit(df_after, (1 + self.level) / 2) * se_after
        found = interval_overlap(b - half, b + half, b_after - half_after, b_after + half_after)
        found = found[~np.isnan(found)]  # those without a width
        return np.maximum(found, 0.0) if self.clip else found


def _mean_and_error(x: Matrix) -> tuple[float, float]:
    from microveil.kernels.moments.central import standard_deviations

    return float(x.mean()), float(standard_deviations(x[:, None])[0] / np.sqrt(len(x)))
