"""Random orthogonal matrix masking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, CovariancesKept, MeansKept
from microveil.core.arrays import Matrix
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Range, Safer
from microveil.data.matrices import with_constant
from microveil.mask.base import MatrixMethod
from microveil.run.contract import Passes
from microveil.run.method import Job

_LOST = 1e-10


@dataclass(frozen=True, kw_only=True)
class RandomOrthogonal(MatrixMethod, name="random-orthogonal"):
    """Turn the records by a random orthogonal matrix that keeps means and covariances exactly.

    Use it as a dial between the data (`distance` near 0) and synthetic data with the same moments (infinite);
    columns given are kept, and covariances with them too. Works on what is left after the means and the given
    columns; `qr` keeps the first column closest, `svd` treats columns alike. Needs more records than twice
    the columns.
    """

    distance: Annotated[
        float, Range(gt=0, grid=(0.3, 1.0)), Safer("twice"), "weight of the random part against the data"
    ] = 1.0
    decomposition: Annotated[Literal["svd", "qr"], "how the records' directions are found"] = "svd"

    passes: ClassVar[Passes] = "file"
    conditions: ClassVar[bool] = True
    least_records: ClassVar[tuple[int, int]] = (3, 0)
    reference = "Ting, Fienberg & Trottini 2008; Langsrud 2019"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means, covariances, and those with the given columns."""
        return (MeansKept(), CovariancesKept())

    def matrix(self, X: Matrix, job: Job) -> Matrix:
        """Fitted part plus residuals in turned directions."""
        from microveil.kernels.fixed.products import times
        from microveil.kernels.linalg.bases import orthonormal_basis, orthonormalise, project_off
        from microveil.kernels.moments.central import column_means

        Q = orthonormal_basis(with_constant(job.given, len(X)))
        scale = column_scale(X)
        residual = project_off((X - column_means(X)) / scale, Q)
        directions, sizes = directions_of(residual, self.decomposition)
        rank = directions.shape[1]
        if len(X) - Q.shape[1] < rank + 1:
            raise NotEnoughRecords(
                f"{self.name} needs at least {Q.shape[1] + rank + 1} records for {rank} independent columns beside"
                f" {Q.shape[1]} that stay: {len(X)} given"
            )
        noise = job.streams.normals(0, *directions.shape)
        # unit columns of noise have length sqrt(n): on the scale of the orthonormal directions
        noise /= np.sqrt(len(X))
        mixed = noise if np.isinf(self.distance) else directions + self.distance * noise
        turned = orthonormalise(project_off(mixed, Q))
        turned = orthonormalise(project_off(turned, Q))
        return np.asarray(X + scale * times(turned - directions, sizes))


def column_scale(X: Matrix) -> Matrix:
    """Standard deviation of each column, 1 for a constant one."""
    from microveil.kernels.moments.central import standard_deviations

    spread = standard_deviations(X, ddof=0)
    return np.where(spread > 0, spread, 1.0)


def directions_of(residual: Matrix, decomposition: Literal["svd", "qr"]) -> tuple[Matrix, Matrix]:
    """Orthonormal directions and their sizes with residual = directions @ sizes."""
    from microveil.kernels.fixed.products import times
    from microveil.kernels.fixed.small import qr, svd
    from microveil.kernels.fixed.sums import exact_product

    basis, triangle = qr(residual)
    U, s, _ = svd(triangle)
    kept = s > _LOST * max(float(s[0]), np.finfo(float).tiny) if len(s) else np.zeros(0, dtype=bool)
    if decomposition == "qr" and kept.all():
        return basis, triangle
    directions = times(basis, U[:, kept])
    return directions, exact_product(directions, residual)
