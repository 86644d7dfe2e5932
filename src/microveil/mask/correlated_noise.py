"""Noise with the covariance of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Claim, CovariancesKept, MeansKept
from microveil.core.arrays import Matrix
from microveil.core.errors import MissingValues
from microveil.core.parameters import Range, Safer
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.mask.base import RowWise, depends
from microveil.mask.moments import centre_and_covariance
from microveil.mask.uncorrelated_noise import exactly_noisy, exactly_noisy_afar
from microveil.run.afar import Afar, Rows
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class CorrelatedNoise(RowWise, name="correlated-noise"):
    """Add noise whose covariance is p^2 times that of the data, so that correlations stay on average.

    Use it where relations between amounts matter. Sums that hold in the data hold after masking. Variances
    grow by the factor 1 + p^2; `exact` makes means, correlations and that factor exact.
    """

    p: Annotated[
        float,
        Range(ge=0, le=10, grid=(0.1, 0.3, 1.0), search=(0.02, 1.0), log=True),
        Safer("twice"),
        "noise standard deviation / the column's",
    ] = 0.3
    exact: Annotated[bool, "give mean and covariances their expected values exactly"] = False

    passes: ClassVar[Passes] = "sums"
    skips_missing: ClassVar[bool] = depends(True, lambda mask: not mask.exact)
    form: ClassVar[str] = "noise"
    attacks: ClassVar[tuple[str, ...]] = ("mahalanobis-linkage", "noise-filter")
    reference = "Kim 1990; Brand 2002"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Exact mode: means, and covariances 1 + p^2 times the original's."""
        return (MeansKept(), CovariancesKept(factor=1 + self.p**2)) if self.exact else ()

    def run(self, table: Table, job: Job) -> Outcome:
        """Add noise drawn by record position, or exact noise."""
        if not self.exact or self.p == 0 or job.streams.path in job.known:
            return super().run(table, job)
        if table.incomplete.any():
            raise MissingValues(f"{self.name} with exact=True needs complete records; use missing='drop'")
        return Outcome(split_columns(exactly_noisy(table.matrix(), self.p, job, diagonal=False), table))

    def learn(self, table: Table, job: Job) -> Matrix | Rows | None:
        """A root of the covariance of the noise; of exact noise how its rows are made."""
        if self.exact and self.p:
            return exactly_noisy_afar(Afar(table, job), self.p, diagonal=False)
        return None if self.p == 0 else noise_root(table, job, self.p, self.name)[1]

    def act(self, table: Table, job: Job, known: Matrix | Rows | None) -> Outcome:
        """Some records with noise."""
        if callable(known):
            return Outcome(split_columns(known(table, job), table))
        X = table.matrix()
        return Outcome(split_columns(X if known is None else with_noise(X, known, job), table))


def noise_root(table: Table, job: Job, p: float, who: str) -> tuple[Matrix, Matrix]:
    """The means of the columns, and a root F of the covariance p^2 cov(X) = F'F of the noise."""
    from microveil.kernels.linalg.bases import factor

    # the covariance of a sample has divisor n - 1: noise of exactly p standard deviations, as everywhere
    mean, V = centre_and_covariance(table, job, who)
    return mean, p * factor(V * (table.rows / (table.rows - 1)))


def with_noise(X: Matrix, F: Matrix, job: Job) -> Matrix:
    """Some records plus normal noise of covariance F'F, by record position; gaps stay."""
    from microveil.kernels.fixed.products import times

    return np.asarray(X + times(job.streams.normals(0, len(X), len(F)), F))
