"""Independent noise for each attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, cast

import numpy as np

from microveil.claims import Claim, CovariancesKept, MeansKept
from microveil.core.arrays import Ints, Matrix, Vector
from microveil.core.errors import MissingValues, NotEnoughRecords
from microveil.core.parameters import Range, Safer, When
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.mask.base import Draws, DrawsInGroups, RowMask, depends
from microveil.mask.moments import observed_scales
from microveil.run.afar import Afar, Rows, beside, matrix, ones, standardised
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome

Distribution = Literal["normal", "uniform", "laplace", "two-point"]


@dataclass(frozen=True, kw_only=True)
class UncorrelatedNoise(RowMask, name="uncorrelated-noise"):
    """Add independent noise to every cell, with a standard deviation of `p` times that of the column.

    Use it as the simplest perturbation of amounts. On average means and covariances stay, variances grow
    by p^2 and correlations shrink; with `exact` (normal noise made orthogonal to the data, at least
    2 columns + 1 records) this holds exactly and not only on average.
    """

    p: Annotated[
        float,
        Range(ge=0, le=10, grid=(0.05, 0.16, 0.5), search=(0.02, 0.5), log=True),
        Safer("twice"),
        "noise standard deviation / the column's",
    ] = 0.16
    distribution: Annotated[Distribution, "shape of the noise"] = "normal"
    exact: Annotated[
        bool, When(distribution="normal", zero_stay=False), "give mean and covariances their expected values exactly"
    ] = False
    zero_stay: Annotated[bool, "leave cells equal to 0 as they are"] = False

    # logarithms of NumPy differ in their last bit between processors
    depends_on_processor: ClassVar[bool] = depends(False, lambda mask: mask.distribution == "laplace")
    passes: ClassVar[Passes] = "sums"
    columns_apart: ClassVar[bool] = depends(True, lambda mask: not mask.exact)
    skips_missing: ClassVar[bool] = depends(True, lambda mask: not mask.exact)
    gathers: ClassVar[bool] = True
    form: ClassVar[str] = "noise"
    attacks: ClassVar[tuple[str, ...]] = ("mahalanobis-linkage", "noise-filter")
    reference = "Brand 2002"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Exact mode: means, covariances, and variances 1 + p^2 times the original's."""
        return (MeansKept(), CovariancesKept(diagonal=self.p**2)) if self.exact else ()

    def learn(self, table: Table, job: Job) -> Any:
        """The standard deviation of the noise of each column; of exact noise how its rows are made."""
        if self.exact and self.p:
            return exactly_noisy_afar(Afar(table, job), self.p, diagonal=True)
        return {name: self.p * scale for name, scale in observed_scales(table, job, self.name).items()}

    def act(self, table: Table, job: Job, known: Any) -> Outcome:
        """Some records with noise."""
        return Outcome(split_columns(known(table, job), table)) if callable(known) else super().act(table, job, known)

    def rows(self, x: Vector, known: object, draws: Draws | DrawsInGroups) -> Vector:
        """Some records of one column with noise."""
        noisy = x + cast("float | Vector", known) * self._unit_noise(draws)
        return np.where(x == 0.0, x, noisy) if self.zero_stay else noisy

    def _unit_noise(self, draws: Draws | DrawsInGroups) -> Vector:
        """Noise of mean 0 and variance 1, one per record."""
        if self.distribution == "normal":
            return draws.normal()
        u = draws.uniform()
        if self.distribution == "uniform":
            return np.asarray(np.sqrt(12.0) * (u - 0.5))
        if self.distribution == "two-point":
            return np.where(u < 0.5, -1.0, 1.0)
        return np.asarray(-np.sign(u - 0.5) * np.log1p(-2.0 * np.abs(u - 0.5)) / np.sqrt(2.0))

    def run(self, table: Table, job: Job) -> Outcome:
        """Mask every column, or all together in exact mode."""
        if not self.exact or self.p == 0 or job.streams.path in job.known:
            return super().run(table, job)
        if table.incomplete.any():
            raise MissingValues(f"{self.name} with exact=True needs complete records; use missing='drop'")
        return Outcome(split_columns(exactly_noisy(table.matrix(), self.p, job, diagonal=True), table))

    def run_in_groups(self, table: Table, job: Job, labels: Ints) -> Outcome | None:
        """All groups in one pass; exact noise, and groups without a spread, one by one."""
        from microveil.kernels.moments.central import deviations_in_groups

        sizes = np.bincount(labels)
        if self.exact or sizes.min() < 2:
            return None
        return self.rows_in_groups(
            table, job, labels, lambda x: (self.p * deviations_in_groups(x, labels, len(sizes)))[labels]
        )


def exactly_noisy(X: Matrix, p: float, job: Job, *, diagonal: bool) -> Matrix:
    """X plus noise that is orthogonal to X and has covariance p^2 V (or its diagonal) exactly."""
    from microveil.kernels.draws.noise import exact_noise

    mean, V = job_moments(X)
    W = np.column_stack([np.ones(len(X)), X - mean])
    return X + exact_noise(W, p**2 * (np.diag(np.diag(V)) if diagonal else V), job.streams)


def exactly_noisy_afar(records: Afar, p: float, *, diagonal: bool) -> Rows:
    """The same for records that are not all in memory."""
    mean, V = afar_moments(records)
    W = beside(ones, standardised(matrix, mean))
    E = records.exact_noise(W, p**2 * (np.diag(np.diag(V)) if diagonal else V))
    return lambda block, its: block.matrix() + E(block, its)


def afar_moments(records: Afar) -> tuple[Matrix, Matrix]:
    """Mean and covariance (divisor n) of at least three records, which are not all in memory."""
    _check_size(records.records, len(records.table.names))
    return records.moments(matrix)


def job_moments(X: Matrix) -> tuple[Matrix, Matrix]:
    """Mean and covariance (divisor n) of a matrix of at least three records."""
    from microveil.kernels.moments.central import mean_and_covariance

    _check_size(*X.shape)
    return mean_and_covariance(X)


def _check_size(records: int, columns: int) -> None:
    if records < 3:
        raise NotEnoughRecords(
            f"exact noise needs at least 2 columns + 1 records, {2 * columns + 1} here: {records} given"
        )
