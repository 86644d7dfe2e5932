"""Correlated noise followed by a linear transformation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from microveil.core.arrays import Matrix, Vector
from microveil.core.parameters import Range, Safer
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.mask.base import RowWise
from microveil.mask.correlated_noise import noise_root, with_noise
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome


class DomainMoments(NamedTuple):
    """Mean and covariance of a subdomain, corrected for noise and shrinkage."""

    mean: Vector
    covariance: Matrix


@dataclass(frozen=True, kw_only=True)
class KimNoise(RowWise, name="kim-noise"):
    """Add correlated noise and shrink towards the mean, so that means and covariances stay on average.

    Use it where users compute variances and regressions without corrections; subdomain figures can be put
    right by `corrected_domain_moments`, which needs p. Who knows p can also undo the shrinkage: the protection
    is that of correlated noise. `ExactNoise` keeps the moments exactly.
    """

    p: Annotated[
        float,
        Range(ge=0, le=10, grid=(0.1, 0.3, 1.0), search=(0.02, 1.0), log=True),
        Safer("twice"),
        "noise standard deviation / the column's",
    ] = 0.3

    passes: ClassVar[Passes] = "sums"
    skips_missing: ClassVar[bool] = True
    form: ClassVar[str] = "noise"
    attacks: ClassVar[tuple[str, ...]] = ("mahalanobis-linkage", "noise-filter")
    reference = "Kim 1986, 1990"

    def learn(self, table: Table, job: Job) -> tuple[Matrix, Matrix] | None:
        """The means, and a root of the covariance of the noise."""
        return None if self.p == 0 else noise_root(table, job, self.p, self.name)

    def act(self, table: Table, job: Job, known: tuple[Matrix, Matrix] | None) -> Outcome:
        """Noise by record position, then towards the mean."""
        X = table.matrix()
        if known is None:
            return Outcome(split_columns(X, table))
        mean, root = known
        noisy = with_noise(X, root, job)
        return Outcome(split_columns(mean + (noisy - mean) / np.sqrt(1 + self.p**2), table))


def corrected_domain_moments(domain: Matrix, whole: Matrix, p: float) -> DomainMoments:
    """Unbiased mean and covariance of a subdomain of a file masked by `KimNoise(p)`, from masked values alone.

    In a small subdomain the corrected covariance may have negative eigenvalues.
    """
    from microveil.kernels.moments.central import mean_and_covariance

    c = 1 / np.sqrt(1 + p**2)
    mean, covariance = mean_and_covariance(domain)
    all_mean, all_covariance = mean_and_covariance(whole)
    return DomainMoments((mean - (1 - c) * all_mean) / c, (1 + p**2) * covariance - p**2 * all_covariance)
