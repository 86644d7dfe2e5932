"""General additive data perturbation: confidential columns redrawn given the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Claim, CovariancesKept, MeansKept
from microveil.core.arrays import Matrix
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Grid
from microveil.data.matrices import with_constant
from microveil.mask.base import AfarMatrix, depends
from microveil.run.afar import Afar, Rows, after_times, beside, matrix, normals, ones, standardised
from microveil.run.method import Job


@dataclass(frozen=True, kw_only=True)
class Gadp(AfarMatrix, name="gadp"):
    """Replace columns by their regression on the given columns plus fresh residuals.

    Use it for the highest security among methods that keep linear relations: what is released depends on the
    confidential values only through the regression. `exact` (at least 1 + given + 2 replaced columns records)
    keeps means, covariances and regression coefficients exactly and makes new residuals uncorrelated with
    the old ones; otherwise they are kept on average.
    """

    exact: Annotated[bool, Grid((True, False)), "keep means and covariances exactly, not only on average"] = True

    conditions: ClassVar[bool] = True
    least_records: ClassVar[tuple[int, int]] = depends((1, 2), lambda mask: (1, 2) if mask.exact else (3, 0))
    reference = "Muralidhar, Parsa & Sarathy 1999; Muralidhar & Sarathy 2005"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Exact mode: means, covariances, and those with the given columns."""
        return (MeansKept(), CovariancesKept()) if self.exact else ()

    def matrix(self, X: Matrix, job: Job) -> Matrix:
        """Fitted values plus new residuals."""
        from microveil.kernels.draws.noise import exact_noise
        from microveil.kernels.fixed.products import times
        from microveil.kernels.linalg.bases import factor, orthonormal_basis, project_off
        from microveil.kernels.moments.central import mean_and_covariance

        n = len(X)
        W = with_constant(job.given, n)
        Q = orthonormal_basis(W)
        self._check_size(n, Q.shape[1])
        mean, V = mean_and_covariance(X)
        scale = np.where(np.diag(V) > 0, np.sqrt(np.diag(V)), 1.0)
        residual = project_off((X - mean) / scale, Q)
        Sigma = mean_and_covariance(residual)[1]
        if self.exact:
            E = exact_noise(np.hstack([W, residual]), Sigma, job.streams)
        else:
            F = factor(Sigma * n / (n - Q.shape[1]))
            E = times(job.streams.normals(0, n, len(F)), F)
        return np.asarray(X + scale * (E - residual))

    def afar(self, records: Afar) -> Rows:
        """The same for records that are not all in memory."""
        from microveil.kernels.linalg.bases import factor

        n, W = records.records, beside(ones, records.kept_columns())
        Q, kept = records.basis(W)
        self._check_size(n, kept)
        mean, V = records.moments(matrix)
        scale = np.where(np.diag(V) > 0, np.sqrt(np.diag(V)), 1.0)
        residual = records.project_off(standardised(matrix, mean, scale), Q)
        Sigma = records.moments(residual)[1]
        if self.exact:
            E = records.exact_noise(beside(W, residual), Sigma)
        else:
            F = factor(Sigma * n / (n - kept))
            E = after_times(normals(len(F)), F)
        return lambda block, its: np.asarray(block.matrix() + scale * (E(block, its) - residual(block, its)))

    def _check_size(self, records: int, kept: int) -> None:
        if records < kept + 2:
            raise NotEnoughRecords(
                f"{self.name} needs at least {kept + 2} records beside the columns kept: {records} given"
            )
