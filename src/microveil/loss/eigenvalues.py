"""Changes of the eigenvalues and of the inverse of the correlation matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.words import list_some
from microveil.loss.base import Loss
from microveil.loss.correlations import correlation_of
from microveil.loss.relative import drop_rounding
from microveil.measure import Pair

_NULL = 1e-6  # eigenvalues below p times this part of the largest are rounding of columns that imply one another


@dataclass(frozen=True, kw_only=True)
class Eigenvalues(Loss, name="eigenvalues"):
    """Sum of the relative changes of the eigenvalues of the correlation matrix.

    Use it to see whether the shape of the cloud of records is kept. The part `gamma` compares the diagonals
    of the inverse correlation matrices, 0 to 1, where both can be inverted. Eigenvalues that are 0 in the original
    (columns that imply one another) are left out; their values in the protected file are a part of their own.
    Reference: Mlodak 2020, Information loss resulting from statistical disclosure control of output data.
    """

    title = "Eigenvalues of the correlation matrix"
    reference = "Mlodak 2020"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        from microveil.kernels.moments.central import mean_and_covariance

        X, Y, notes = self.complete(pair)
        few = self.too_few(X, Y, X.shape[1] + 1)
        if few:
            return few
        V, V_after = mean_and_covariance(X)[1], mean_and_covariance(Y)[1]
        usable = np.diag(V) > 0
        if not usable.all():
            flat = [str(name) for name, keep in zip(pair.columns, usable, strict=True) if not keep]
            notes = (*notes, f"constant columns are left out: {list_some(flat)}")
        if usable.sum() < 2:
            return self.not_applicable("there are not two columns that vary in the original")
        chosen = np.ix_(usable, usable)
        R, R_after = correlation_of(V[chosen]), correlation_of(V_after[chosen])
        return self._result(R, R_after, notes)

    def _result(self, R: Matrix, R_after: Matrix, notes: tuple[str, ...]) -> Measured:
        w, w_after = np.linalg.eigvalsh(R)[::-1], np.linalg.eigvalsh(R_after)[::-1]
        live = w > _NULL * len(w) * w[0]
        change = drop_rounding(np.abs(w - w_after), 1.0)[live] / w[live]
        value = float(change.sum())
        parts = {"largest": float(change[0]), "mean": float(change.mean())}
        if live.all() and bool((w_after > _NULL * len(w) * w_after[0]).all()):
            parts["gamma"] = inverse_diagonal_change(R, R_after)
        else:
            notes = (*notes, "gamma is not defined: a correlation matrix cannot be inverted")
        if not live.all():
            parts["opened"] = float(np.maximum(w_after[~live], 0.0).sum())
            notes = (*notes, f"eigenvalues that are 0 in the original are left out: {int((~live).sum())}")
        return self.measured(
            value,
            parts=parts,
            reading=f"The figure is the sum of the relative changes of the eigenvalues of the correlation matrix; they "
            f"change by {format_number(100 * parts['mean'])} % on average, the largest by "
            f"{format_number(100 * parts['largest'])} %.",
            notes=notes,
        )


def inverse_diagonal_change(R: Matrix, R_after: Matrix) -> float:
    """Distance of the normalised diagonals of the inverses, over sqrt(2): between 0 and 1."""
    d, d_after = np.diag(np.linalg.inv(R)), np.diag(np.linalg.inv(R_after))
    difference = np.linalg.norm(d / np.linalg.norm(d) - d_after / np.linalg.norm(d_after)) / np.sqrt(2.0)
    return float(difference) if difference > 1e-12 else 0.0
