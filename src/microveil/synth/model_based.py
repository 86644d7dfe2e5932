"""Model-based protection: fitted values in place of confidential ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, MeansKept
from microveil.core.arrays import Floats
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Grid, Range, Safer
from microveil.data.matrices import split_columns, with_constant
from microveil.data.table import Table
from microveil.run.method import Job, Outcome
from microveil.synth.base import Synthesiser
from microveil.synth.cart import tree_predictors

_REVEALING = 0.99  # share of variance explained from which on fitted values are nearly the original


@dataclass(frozen=True, kw_only=True)
class ModelBased(Synthesiser, name="model-based"):
    """Release what a regression on the kept columns says, with a share of each record's residual.

    Use it where a model of the confidential columns is trusted more than their single values. Least squares (or a
    tree): means are kept, and with least squares and residual 0 the covariances with the kept columns; variances shrink
    to the explained part. `interval` sets values beyond the prediction interval of that level to its ends, so that
    with residual = 1 only unusual records change.
    """

    model: Annotated[Literal["linear", "tree"], Grid(("linear", "tree")), "the regression"] = "linear"
    residual: Annotated[
        float, Range(ge=0, le=1, grid=(0.0, 0.3)), Safer("half"), "share of the residual that is released"
    ] = 0.0
    interval: Annotated[
        float | None,
        Range(gt=0, lt=1, grid=(0.9,)),
        "level of the prediction interval that bounds values; none: unbounded",
    ] = None
    min_leaf: Annotated[int, Range(ge=2, grid=(5,)), "fewest records in a leaf of the tree"] = 5

    conditions: ClassVar[bool] = True
    random: ClassVar[bool] = False
    also_try = ({"residual": 1.0, "interval": 0.8},)
    least_records: ClassVar[tuple[int, int]] = (3, 0)
    reference = "Franconi & Stander 2002; Polettini, Franconi & Stander 2002"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means, unless values are cut at an interval."""
        return (MeansKept(),) if self.interval is None else ()

    def run(self, table: Table, job: Job) -> Outcome:
        """Fitted values plus a share of the residuals."""
        T = table.matrix()
        fitted, error = self._linear(T, job.given) if self.model == "linear" else self._tree(T, job.given)
        # from the original, so that the whole residual gives it back exactly
        released = T + (1 - self.residual) * (fitted - T) if self.residual > 0 else fitted
        if self.interval is not None:
            released = np.clip(released, fitted - error, fitted + error)
        return Outcome(split_columns(released, table), notes=self._notes(table.names, T, fitted))

    def _linear(self, T: Floats, given: Table) -> tuple[Floats, Floats]:
        from scipy.stats import t

        from microveil.kernels.linalg.bases import orthonormal_basis, project_off

        n = len(T)
        Q = orthonormal_basis(with_constant(given, n))
        freedom = n - Q.shape[1]
        if freedom < 2:
            raise NotEnoughRecords(
                f"{self.name} needs at least {Q.shape[1] + 2} records, 2 more than the regression has terms: {n} given"
            )
        centre = T.mean(axis=0)
        residual = project_off(T - centre, Q)
        sigma = np.sqrt(np.einsum("ij,ij->j", residual, residual) / freedom)
        if self.interval is None:
            return T - residual, np.zeros_like(T)
        leverage = np.einsum("ij,ij->i", Q, Q)
        factor = float(t.ppf((1 + self.interval) / 2, freedom))
        return T - residual, factor * np.sqrt(1 + leverage)[:, None] * sigma

    def _tree(self, T: Floats, given: Table) -> tuple[Floats, Floats]:
        from scipy.special import ndtri

        from microveil.kernels.regression.trees import grow_tree

        if len(T) < 2 * self.min_leaf:
            raise NotEnoughRecords(f"{self.name} needs at least {2 * self.min_leaf} records for a tree: {len(T)} given")
        X = tree_predictors(given)
        fitted, error = np.empty_like(T), np.empty_like(T)
        for j in range(T.shape[1]):
            y = T[:, j]
            leaves = np.unique(grow_tree(X, y, 0, self.min_leaf, 0.0)[1], return_inverse=True)[1]
            sizes = np.bincount(leaves)
            start = float(y[0])  # about a value of the column: sums of values far from zero keep their digits
            fitted[:, j] = start + (np.bincount(leaves, y - start) / sizes)[leaves]
            spread = np.sqrt(np.bincount(leaves, (y - fitted[:, j]) ** 2) / sizes)[leaves]
            error[:, j] = 0.0 if self.interval is None else ndtri((1 + self.interval) / 2) * spread
        return fitted, error

    def _notes(self, names: tuple[str, ...], T: Floats, fitted: Floats) -> tuple[str, ...]:
        variance, left = T.var(axis=0), (T - fitted).var(axis=0)
        telling = [
            repr(names[j]) for j in range(len(names)) if variance[j] > 0 and left[j] < (1 - _REVEALING) * variance[j]
        ]
        if not telling:
            return ()
        return (f"the kept columns explain more than {100 * _REVEALING:g} % of {', '.join(telling)}: fits reveal them",)
