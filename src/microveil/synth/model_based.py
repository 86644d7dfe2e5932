"""Model-based protection: fitted values in place of confidential ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, MeansKept
from microveil.core.arrays import Floats
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Grid, Range, Safer
from microveil.data.matrices import split_columns, with_constant
from microveil.data.table import Table
from microveil.run.afar import Afar, Rows, beside, matrix, ones, standardised
from microveil.run.by_rows import ByRowsAfar
from microveil.run.contract import Passes, depends
from microveil.run.method import Job, Outcome
from microveil.synth.base import Synthesiser
from microveil.synth.cart import tree_predictors

_REVEALING = 0.99  # share of variance explained from which on fitted values are nearly the original


@dataclass(frozen=True, kw_only=True)
class ModelBased(ByRowsAfar, Synthesiser, name="model-based"):
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

    passes: ClassVar[Passes] = depends("sums", lambda method: "sums" if method.model == "linear" else "file")
    way_out: ClassVar[str] = depends("", lambda method: "" if method.model == "linear" else "give model='linear'")
    conditions: ClassVar[bool] = True
    random: ClassVar[bool] = False
    also_try = ({"residual": 1.0, "interval": 0.8},)
    least_records: ClassVar[tuple[int, int]] = (3, 0)
    reference = "Franconi & Stander 2002; Polettini, Franconi & Stander 2002"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means, unless values are cut at an interval."""
        return (MeansKept(),) if self.interval is None else ()

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Fitted values plus a share of the residuals, of records that are all in memory."""
        from microveil.kernels.moments.central import mean_and_covariance

        T = table.matrix()
        fitted, error = self._linear(T, job.given) if self.model == "linear" else self._tree(T, job.given)
        notes = self._notes(table.names, mean_and_covariance(T)[1], mean_and_covariance(T - fitted)[1])
        return Outcome(split_columns(self._released(T, fitted, error), table), notes=notes)

    def learn(self, table: Table, job: Job) -> Fitted:
        """The regression, from sums over records that are not all in memory."""
        records = Afar(table, job)
        Q, terms = records.basis(beside(ones, records.kept_columns()))
        freedom = self._freedom(table.rows, terms)
        mean, V = records.moments(matrix)
        residual = records.project_off(standardised(matrix, mean), Q)
        ends = self._ends(records.norms(residual), freedom)

        def fitted(block: Table, its: Job) -> Floats:
            return block.matrix() - residual(block, its)

        left = records.moments(lambda block, its: block.matrix() - fitted(block, its))[1]
        return Fitted(fitted, Q, ends, self._notes(table.names, V, left))

    def act(self, table: Table, job: Job, known: Fitted) -> Outcome:
        """What is released of some records."""
        error = np.sqrt(1 + _leverage(known.basis(table, job))) * known.ends
        released = self._released(table.matrix(), known.rows(table, job), error)
        return Outcome(split_columns(released, table))

    def settle(self, found: Outcome, table: Table, job: Job, known: Fitted) -> Outcome:
        """With the notes on all records."""
        return replace(found, notes=(*found.notes, *known.notes))

    def _released(self, T: Floats, fitted: Floats, error: Floats) -> Floats:
        # from the original, so that the whole residual gives it back exactly
        released = T + (1 - self.residual) * (fitted - T) if self.residual > 0 else fitted
        return released if self.interval is None else np.clip(released, fitted - error, fitted + error)

    def _linear(self, T: Floats, given: Table) -> tuple[Floats, Floats]:
        """Fitted values, and how far a prediction may be off."""
        from microveil.kernels.linalg.bases import column_norms, orthonormal_basis, project_off
        from microveil.kernels.moments.central import mean_and_covariance

        Q = orthonormal_basis(with_constant(given, len(T)))
        freedom = self._freedom(len(T), Q.shape[1])
        residual = project_off(T - mean_and_covariance(T)[0], Q)
        return T - residual, np.sqrt(1 + _leverage(Q)) * self._ends(column_norms(residual), freedom)

    def _freedom(self, records: int, terms: int) -> int:
        if records < terms + 2:
            raise NotEnoughRecords(
                f"{self.name} needs at least {terms + 2} records, 2 more than the regression has terms: {records} given"
            )
        return records - terms

    def _ends(self, norms: Floats, freedom: int) -> Floats:
        """Half the width of the prediction interval of each column where the kept columns tell nothing of a record."""
        from scipy.stats import t

        if self.interval is None:
            return np.zeros_like(norms)
        return np.asarray(float(t.ppf((1 + self.interval) / 2, freedom)) * norms / np.sqrt(freedom))

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

    def _notes(self, names: tuple[str, ...], of_values: Floats, of_residuals: Floats) -> tuple[str, ...]:
        """What covariances of values and of residuals tell."""
        variance, left = np.diag(of_values), np.diag(of_residuals)
        telling = [
            repr(names[j]) for j in range(len(names)) if variance[j] > 0 and left[j] < (1 - _REVEALING) * variance[j]
        ]
        if not telling:
            return ()
        return (f"the kept columns explain more than {100 * _REVEALING:g} % of {', '.join(telling)}: fits reveal them",)


@dataclass(frozen=True)
class Fitted:
    """A regression on the kept columns: how rows of fitted values and of the basis are made, and what is told of it."""

    rows: Rows
    basis: Rows
    ends: Floats
    notes: tuple[str, ...]


def _leverage(Q: Floats) -> Floats:
    """How far each record is from the middle of the kept columns; a column, summed in one order."""
    from microveil.kernels.fixed.products import times

    return times(Q * Q, np.ones((Q.shape[1], 1)))
