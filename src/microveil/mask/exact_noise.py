"""Noise that keeps means and covariances exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Claim, CovariancesKept, MeansKept
from microveil.core.arrays import Ints, Matrix
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Range, Safer
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.mask.base import AfarMatrix
from microveil.mask.uncorrelated_noise import afar_moments, job_moments
from microveil.run.afar import Afar, Rows, beside, matrix, ones, standardised
from microveil.run.method import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class ExactNoise(AfarMatrix, name="exact-noise"):
    """Add noise and shrink back so that means and covariances are exactly the original's.

    Use it when regressions and variances must come out the same. The relative noise variance is c = p^2;
    every masked attribute correlates with its original by exactly 1/sqrt(1 + c): p = 0 changes nothing,
    a large p is nearly synthetic. Needs 2 columns + 1 records (fewer where columns depend on one another).
    """

    p: Annotated[
        float,
        Range(ge=0, le=100, grid=(0.2, 0.39, 1.0), search=(0.02, 1.0), log=True),
        Safer("twice"),
        "noise standard deviation / the column's",
    ] = 0.39

    form: ClassVar[str] = "noise"
    attacks: ClassVar[tuple[str, ...]] = ("mahalanobis-linkage", "noise-filter")
    least_records: ClassVar[tuple[int, int]] = (1, 2)
    reference = "Oganian & Karr 2006"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means and covariances."""
        return (MeansKept(), CovariancesKept())

    def matrix(self, X: Matrix, job: Job) -> Matrix:
        """The masked matrix."""
        from microveil.kernels.draws.noise import exact_noise

        if self.p == 0:
            return X.copy()
        mean, V = job_moments(X)
        centred = X - mean
        E = exact_noise(np.column_stack([np.ones(len(X)), centred]), self.p**2 * V, job.streams)
        return np.asarray(mean + (centred + E) / np.sqrt(1 + self.p**2))

    def afar(self, records: Afar) -> Rows:
        """The same for records that are not all in memory."""
        if self.p == 0:
            return matrix
        mean, V = afar_moments(records)
        centred = standardised(matrix, mean)
        E, shrink = records.exact_noise(beside(ones, centred), self.p**2 * V), np.sqrt(1 + self.p**2)
        return lambda block, its: np.asarray(mean + (centred(block, its) + E(block, its)) / shrink)

    def run_in_groups(self, table: Table, job: Job, labels: Ints) -> Outcome:
        """New components of all groups at once, which correlate with the old ones by 1/sqrt(1 + p^2)."""
        from microveil.kernels.draws.groups import ipso_in_groups

        similarity = 1.0 / float(np.sqrt(1.0 + self.p * self.p))
        X = table.matrix()
        try:
            noisy, _ = ipso_in_groups(X, np.zeros((len(X), 0)), labels, job.streams.at("clusters"), similarity)
        except NotEnoughRecords:
            raise NotEnoughRecords(
                f"{self.name} needs 2 columns + 1 records in every cluster, {2 * X.shape[1] + 1} here (fewer if "
                f"columns depend on one another), and the smallest has {int(np.bincount(labels).min())}; raise k"
            ) from None
        return Outcome(split_columns(noisy, table))
