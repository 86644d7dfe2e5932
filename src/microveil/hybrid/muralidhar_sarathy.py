"""Hybrid data by a linear model of the original values, with exact sufficient statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from microveil.claims import Claim, CovariancesKept, MeansKept
from microveil.core.arrays import Bools, Floats, Matrix
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Example, Range, Safer
from microveil.data.matrices import split_columns, with_constant
from microveil.data.table import Table
from microveil.hybrid.base import Hybrid
from microveil.hybrid.groups import near_originals, outside_range
from microveil.hybrid.muralidhar_afar import LearntMixture, learn_mixture, settle_mixture
from microveil.mask.random_orthogonal import column_scale
from microveil.run.by_rows import ByRowsAfar
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome

_ROUNDING = 1e-9  # how far beyond 1 the norm of an admissible alpha may be
_OUTSIDE = 1e-6  # what part of alpha may leave the space of the residuals by rounding
_NO_RESIDUAL = 1e-10  # residuals below this part of the deviation are rounding
_NO_NOISE = 1e-12  # noise variances below this part are rounding


class Mixture(NamedTuple):
    """What multiplies the old components and the new ones, how many of the latter are drawn, and what is told."""

    M: Matrix
    root: Matrix
    drawn: int
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MuralidharSarathy(ByRowsAfar, Hybrid, name="muralidhar-sarathy"):
    """Mix each record with noise: alpha times the original, a regression on the given columns, and new residuals.

    Use it to say per column how similar the hybrid is to the original: 1 releases the original, 0 values that
    depend on it through the given columns alone. Means, covariances and those with the given columns are exact
    (1 + 2 replaced + given columns records). `alpha` is one number, one per column, or a matrix whose row i says
    how hybrid column i depends on the originals. Unequal entries may ask for more covariance than there is; then
    alpha is made smaller as a whole and this is noted, or it is an error.
    """

    alpha: Annotated[
        float | tuple[float, ...] | tuple[tuple[float, ...], ...],
        Range(grid=(0.8, 0.3, 0.0), search=(0.0, 0.95)),
        Safer("half"),
        Example([0.9, 0.5]),
        "similarity to the original: a number, one per column, or a matrix by rows",
    ] = 0.8
    inadmissible: Annotated[Literal["scale", "error"], "what to do with an alpha the covariance does not allow"] = (
        "scale"
    )

    passes: ClassVar[Passes] = "sums"
    conditions: ClassVar[bool] = True
    attacks: ClassVar[tuple[str, ...]] = ("hybrid-reconstruction",)
    least_records: ClassVar[tuple[int, int]] = (1, 2)
    reference = "Muralidhar & Sarathy 2008"

    def validate(self) -> None:
        """Finite; a number, or those per column, within [-1, 1]; a matrix square."""
        rows = self.alpha if isinstance(self.alpha, tuple) else (self.alpha,)
        if not rows:
            raise BadInput("alpha=() is empty; give a number, one per column, or a matrix by rows")
        widths = {len(row) if isinstance(row, tuple) else 1 for row in rows}
        is_matrix = isinstance(rows[0], tuple)
        if is_matrix and widths != {len(rows)}:
            raise BadInput(f"alpha={self.alpha!r} is not square; give as many rows as each row has entries")
        largest = float(np.abs(np.asarray(rows, dtype=np.float64)).max())
        if not np.isfinite(largest):
            raise BadInput(f"alpha={self.alpha!r} is not finite")
        if not is_matrix and largest > 1:
            raise BadInput(f"alpha must be between -1 and 1; {self.alpha!r} was given")

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means, covariances, and those with the given columns."""
        return (MeansKept(), CovariancesKept())

    def learn(self, table: Table, job: Job) -> LearntMixture:
        """How rows are made of records that are not all in memory."""
        return learn_mixture(self, table, job)

    def act(self, table: Table, job: Job, known: LearntMixture) -> Outcome:
        """Mix some records."""
        return known.outcome(table, job)

    def settle(self, found: Outcome, table: Table, job: Job, known: LearntMixture) -> Outcome:
        """What is told of all records."""
        return settle_mixture(found, known)

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Regression on the given columns plus mixed residuals."""
        from microveil.kernels.linalg.bases import orthonormal_basis, project_off
        from microveil.kernels.moments.central import column_means

        X, W = table.matrix(), with_constant(job.given, table.rows)
        alpha, Q = self.alpha_matrix(table.names), orthonormal_basis(W)
        self.refuse_few(len(X), Q.shape[1])
        scale = column_scale(X)
        residual = project_off((X - column_means(X)) / scale, Q)
        determined = self.determined(np.abs(residual).max(axis=0))
        residual[:, determined] = 0.0
        new, notes = self._mixed(residual, alpha * scale / scale[:, None], W, Q, job)
        notes = (*notes, *self.told_fixed(table.names, determined & (np.ptp(X, axis=0) > 0)))
        columns = split_columns(X + scale * (new - residual), table)
        return Outcome(columns, notes=(*notes, *near_originals(table, columns), *outside_range(table, columns)))

    def refuse_few(self, records: int, kept: int) -> None:
        """Refuse fewer records than two beside the columns kept."""
        if records < kept + 2:
            raise NotEnoughRecords(
                f"{self.name} needs at least {kept + 2} records beside the columns kept: {records} given"
            )

    @staticmethod
    def determined(largest: Floats) -> Bools:
        """Which columns the given ones determine, by their largest residuals in standard deviations."""
        return np.asarray(largest < _NO_RESIDUAL)

    @staticmethod
    def told_fixed(names: Sequence[str], fixed: Bools) -> tuple[str, ...]:
        """What is said of columns that vary and stay."""
        listed = [name for name, stays in zip(names, fixed, strict=True) if stays]
        return (f"the given columns determine {listed} exactly; they stay as they were",) if listed else ()

    def alpha_matrix(self, names: tuple[str, ...]) -> Matrix:
        """Alpha as a matrix for these columns."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim and len(alpha) != len(names):
            raise BadInput(f"alpha has {len(alpha)} entries for {len(names)} columns {list(names)}; give one for each")
        return alpha if alpha.ndim == 2 else np.asarray(alpha * np.eye(len(names)))

    def _mixed(self, residual: Matrix, alpha: Matrix, W: Matrix, Q: Matrix, job: Job) -> tuple[Matrix, tuple[str, ...]]:
        """Residuals of the same covariance: alpha times the old ones plus noise orthogonal to everything."""
        from microveil.kernels.draws.noise import exact_noise
        from microveil.kernels.fixed.products import times
        from microveil.kernels.fixed.sums import exact_product
        from microveil.kernels.linalg.bases import factor, orthonormalise, project_off, right_inverse

        n = len(residual)
        F = factor(exact_product(residual) / n)
        if not len(F):
            return residual, ()
        # components of the residuals: uncorrelated, of variance 1
        Z = np.sqrt(n) * orthonormalise(project_off(times(residual, right_inverse(F)), Q))
        mix = self.mixture_of(alpha, F)
        E = exact_noise(np.hstack([W, Z]), np.eye(mix.drawn), job.streams)
        return times(times(Z, mix.M.T) + times(E, mix.root.T), F), mix.notes

    def mixture_of(self, alpha: Matrix, F: Matrix) -> Mixture:
        """How components of the residuals (covariance F'F) and new noise are mixed."""
        from microveil.kernels.fixed.products import times
        from microveil.kernels.fixed.small import svd

        M, notes = self._admissible(alpha, F)
        P, sizes, _ = svd(M)
        variances = 1.0 - sizes**2
        drawn = variances > _NO_NOISE
        root = P[:, drawn] * np.sqrt(variances[drawn])
        if drawn.all():
            # the symmetric one: where singular values are equal, P is any basis, and every processor finds another
            root = times(root, P.T)
        return Mixture(M, root, int(drawn.sum()), notes)

    def _admissible(self, alpha: Matrix, F: Matrix) -> tuple[Matrix, tuple[str, ...]]:
        """Alpha between components of the residuals (covariance F'F): there it must have no norm above 1."""
        from microveil.kernels.fixed.small import svd

        M, leaves = alpha_of_components(alpha, F)
        norm = float(svd(M)[1].max(initial=0.0))
        notes = []
        if leaves > _OUTSIDE:
            notes.append("alpha breaks linear relations between the columns; its part that keeps them was used")
        if norm > 1 + _ROUNDING:
            notes.append(f"alpha is not admissible (norm {norm:.4g} > 1) and was divided by that")
        if notes and self.inadmissible == "error":
            problem = (
                "it breaks linear relations between the columns" if leaves > _OUTSIDE else f"its norm is {norm:.4g}"
            )
            raise BadInput(
                f"alpha={self.alpha!r} is not admissible: {problem}, where the noise covariance must not be negative;"
                " use one number in [-1, 1] for all columns, more equal entries, or inadmissible='scale'"
            )
        return M / max(1.0, norm), tuple(notes)


def alpha_of_components(alpha: Matrix, F: Matrix) -> tuple[Matrix, float]:
    """M with alpha F' = F'M as nearly as can be, and the part of alpha F' that is left.

    The noise covariance F'F - alpha F'F alpha' has no negative eigenvalue if the spectral norm of M is at most 1
    and nothing is left.
    """
    from microveil.kernels.fixed.products import times
    from microveil.kernels.linalg.bases import right_inverse

    moved = times(alpha, F.T)
    M = times(right_inverse(F).T, moved)
    size = float(np.linalg.norm(moved))
    return M, float(np.linalg.norm(moved - times(F.T, M))) / size if size else 0.0
