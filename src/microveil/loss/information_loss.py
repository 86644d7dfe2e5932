"""IL1 to IL5 and the information loss of the 2001 score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.loss.base import Loss
from microveil.loss.correlations import correlation_of, pairs_of
from microveil.loss.relative import RelativeChange, ZeroPolicy, drop_rounding
from microveil.measure import Pair
from microveil.measure.in_blocks import PairInBlocks

if TYPE_CHECKING:
    from microveil.kernels.moments.central import CentredMoments

_PARTS = 4
_T = 3.182446305284263  # of Student with three degrees of freedom, 97.5 %: four parts


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
        return self._told(self._parts(X, Y, relative), relative, notes)

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        """Statistics of all records; changes of single values by a random sample of them."""
        begun = self.sums_in_blocks(files, 2)
        if isinstance(begun, NotApplicable):
            return begun
        names, sums = begun
        sample = files.sampled(names)
        if isinstance(sample, str):
            return self.not_applicable(sample)
        X, Y, notes = self.complete_pairs(sample)
        if len(X) < _PARTS:
            return self.not_applicable(f"{len(X)} complete records of a sample are too few")
        relative = RelativeChange(self.zeros, self.cap)
        before, after = sums.moments()
        s = np.sqrt(np.diag(before.covariance))
        parts = {"IL1": relative.mean("values", X, Y, s, rounding=0.0), **self._statistics(before, after, relative)}
        # how much fourths of the sample differ tells how far its mean may be off
        fourths = [RelativeChange(self.zeros, self.cap).mean("values", X[i::4], Y[i::4], s, 0.0) for i in range(4)]
        half = 100 * _T * float(np.std(fourths, ddof=1)) / 2 / len(parts)
        said = f"single values (IL1) are those of {len(X):,} of {files.records[0]:,} records, drawn at random"
        told = self._told(parts, relative, (said, *sums.notes, *notes))
        return replace(told, interval=(max(told.value - half, 0.0), told.value + half))

    def _told(self, parts: dict[str, float], relative: RelativeChange, notes: tuple[str, ...]) -> Measured:
        """The figure, from its parts."""
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
        from microveil.kernels.moments.central import centred_moments

        before, after = centred_moments(X), centred_moments(Y)
        s = np.sqrt(np.diag(before.covariance))
        return {"IL1": relative.mean("values", X, Y, s, rounding=0.0), **self._statistics(before, after, relative)}

    def _statistics(self, before: CentredMoments, after: CentredMoments, relative: RelativeChange) -> dict[str, float]:
        """The parts on means, variances, covariances and correlations."""
        (mean, V), (mean_after, V_after) = ((one.start + one.shift, one.covariance) for one in (before, after))
        s = np.sqrt(np.diag(V))
        rows, columns = np.triu_indices(len(s), 0 if self.form == "score" else 1)
        parts = {
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
