"""IL1 to IL5 and the information loss of the 2001 score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.loss.base import Loss
from microveil.loss.correlations import correlation_of, pairs_of
from microveil.loss.relative import RelativeChange, ZeroPolicy, drop_rounding
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class InformationLoss(Loss, name="information-loss"):
    """100 times the mean of five relative changes: values, means, variances, covariances and correlations.

    Use it to compare with published scores. It has no upper bound and grows without limit where originals
    are near 0; for decisions prefer the bounded probabilistic loss. IL1 values, IL2 means, IL3 variances, IL4
    covariances (mean relative changes), IL5 correlations (mean absolute change).
    Reference: Domingo-Ferrer & Torra 2001, A quantitative comparison of disclosure control methods for microdata.

    >>> import pyarrow as pa
    >>> x = pa.table({"a": [1.0, 2.0, 3.0, 5.5], "b": [4.0, 3.0, 1.5, 9.0]})
    >>> InformationLoss()(x, x).value
    0.0
    """

    form: Annotated[
        Literal["score", "table"],
        Grid(("score", "table")),
        "score: covariances with the variances, over p(p+1)/2 cells; table: without, over p(p-1)/2 cells",
    ] = "score"
    zeros: ZeroPolicy = "skip"
    cap: Annotated[float | None, Range(gt=0, grid=(None, 1.0)), "largest relative change of one cell"] = None

    paired = True
    unit = "%"
    title = "Information loss of the 2001 score"
    reference = "Domingo-Ferrer & Torra 2001"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        X, Y, notes = self.complete_pairs(pair)
        few = self.too_few(X, Y, 2)
        if few:
            return few
        relative = RelativeChange(self.zeros, self.cap)
        parts = self._parts(X, Y, relative)
        value = 100 * float(np.mean(list(parts.values())))
        if len(parts) < 5:
            notes = (*notes, f"there is no pair of columns that vary: the mean is over {', '.join(parts)}")
        return self.measured(
            value,
            parts=parts,
            reading=f"On average over five kinds of statistics the protected file deviates by "
            f"{format_number(value)} % from the "
            f"original (single values by {format_number(100 * parts['IL1'])} %); there is no upper limit.",
            notes=(*notes, *relative.notes()),
        )

    def _parts(self, X: Matrix, Y: Matrix, relative: RelativeChange) -> dict[str, float]:
        from microveil.kernels.moments.central import mean_and_covariance

        mean, V = mean_and_covariance(X)
        mean_after, V_after = mean_and_covariance(Y)
        s = np.sqrt(np.diag(V))
        rows, columns = np.triu_indices(len(s), 0 if self.form == "score" else 1)
        parts = {
            "IL1": relative.mean("values", X, Y, s, rounding=0.0),
            "IL2": relative.mean("means", mean, mean_after, s),
            "IL3": relative.mean("variances", s**2, np.diag(V_after), s**2),
        }
        if len(rows):
            parts["IL4"] = relative.mean("covariances", V[rows, columns], V_after[rows, columns], s[rows] * s[columns])
        i, j = pairs_of(s > 0)
        if len(i):
            change = correlation_of(V_after)[i, j] - correlation_of(V)[i, j]
            parts["IL5"] = float(drop_rounding(np.abs(change), 1.0).mean())
        return parts
