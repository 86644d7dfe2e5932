"""Changes of regression coefficients and of their standard errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.loss.formulas import Fit
from microveil.loss.regressions import RegressionLoss
from microveil.loss.relative import RelativeChange
from microveil.measure import Pair

_EXACT = 1e-9  # of what a change of one standard deviation would make a coefficient


@dataclass(frozen=True, kw_only=True)
class RegressionChange(RegressionLoss, name="regression-change"):
    """How far regression coefficients move, in standard errors of the original's.

    Use it with the formulas that users of the file will fit. Parts: `standardised difference` (the value),
    `coefficients` and `standard errors` (mean relative change in per cent); with formulas given, the standardised
    difference of each coefficient too. 0 for coefficients of continuous columns when means and covariances
    are kept exactly.
    Reference: Oganian & Domingo-Ferrer 2017, Local synthesis for disclosure limitation that satisfies
    probabilistic k-anonymity criterion.
    """

    quick = True
    unit = "standard errors"
    title = "Change of regression coefficients"
    reference = "Oganian & Domingo-Ferrer 2017"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        fits, notes = self.fits(pair)
        if not fits:
            return self.not_applicable("no regression can be fitted: it needs two columns and more records than terms")
        relative = RelativeChange("skip")
        before = np.concatenate([x.coefficients for _, x, _ in fits])
        after = np.concatenate([y.coefficients for _, _, y in fits])
        scale = np.concatenate([x.scale for _, x, _ in fits])
        parts = {"coefficients": 100 * relative.mean("coefficients", before, after, scale, _EXACT)}
        regular = [(formula, x, y) for formula, x, y in fits if not x.perfect]
        if regular:
            errors = np.concatenate([x.errors for _, x, _ in regular])
            errors_after = np.concatenate([y.errors for _, _, y in regular])
            parts["standard errors"] = 100 * relative.mean("standard errors", errors, errors_after, errors, _EXACT)
        moved = [_standardised(x, y) for _, x, y in regular]
        if not moved:
            return self.not_applicable("every regression fits the original without error: there is no standard error")
        value = float(np.concatenate(moved).mean())
        parts["standardised difference"] = value
        if self.formulas is not None:
            for (formula, x, _), found in zip(regular, moved, strict=True):
                parts.update({f"{formula.response} ~ {term}": float(d) for term, d in zip(x.terms, found, strict=True)})
        return self.measured(
            value,
            parts=parts,
            reading=f"Regression coefficients move by {format_number(value)} standard errors of the original on "
            f"average "
            f"({format_number(parts['coefficients'])} % of their size).",
            notes=(*notes, *relative.notes()),
        )


def _standardised(x: Fit, y: Fit) -> Matrix:
    change = np.abs(y.coefficients - x.coefficients)
    change = np.where(change > _EXACT * x.scale, change, 0.0)
    return np.divide(change, x.errors, out=np.zeros_like(change), where=x.errors > 0)
