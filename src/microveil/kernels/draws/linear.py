"""Synthetic numbers with exact first and second moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.streams import Streams
from microveil.kernels.draws.noise import exact_noise
from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import qr, svd
from microveil.kernels.fixed.sums import exact_product
from microveil.kernels.linalg.bases import column_norms, factor, orthonormal_basis, orthonormalise, project_off
from microveil.kernels.moments.central import constant_columns, mean_and_covariance

Variant = Literal["A0", "A", "B", "C"]

# A group of n records needs n >= 1 + kept columns + max(2, replaced columns); with n <= kept + 1 the original returns.
SMALLEST_FREEDOM = 2  # with one dimension to turn in, only the sign of a residual can change
_EXPLAINED = 1e-9  # residual standard deviation, relative to the column's, that counts as none
_LOST = 1e-10  # singular values below this part of the largest carry no information


def ipso(
    T: Floats,
    S: Floats,
    streams: Streams,
    variant: Variant = "C",
    rho: float | None = None,
    freedom: int = SMALLEST_FREEDOM,
    names: Sequence[str] | None = None,
) -> Floats:
    """T redrawn given S: the regression on S plus new residuals (Burridge 2003, Information preserving statistical
    obfuscation).

    `C` keeps means, covariances, those with S, regression coefficients and residual covariance exactly, for
    any rank; `B` keeps the coefficients only; `A` adds independent normal residuals; `A0` none. With `rho` the new
    residual components of `C` correlate with the old ones by exactly rho (Langsrud 2019). S has one row per
    record and may have no columns.
    """
    n, p = T.shape
    Q = orthonormal_basis(np.hstack([np.ones((n, 1)), S]))
    refuse_too_few(n, Q.shape[1], freedom)
    mean, V = mean_and_covariance(T)
    scale = np.where(np.diag(V) > 0, np.sqrt(np.diag(V)), 1.0)
    residual = project_off((T - mean) / scale, Q)
    refuse_explained(column_norms(residual), n, constant_columns(T), names or [f"{j + 1}" for j in range(p)])
    if variant == "C" and rho == 1:
        return T.copy()
    new = _new_residuals(residual, Q, streams, variant, rho)
    return np.asarray(T + scale * (new - residual))


def cholesky_synthesis(mean: Floats, covariance: Floats, records: int, streams: Streams) -> Floats:
    """Normal records with exactly this mean and covariance (divisor: their number), for rank + 1 records or more.

    Reference: Mateo-Sanz, Martinez-Balleste & Domingo-Ferrer 2004, Fast generation of accurate synthetic microdata.
    """
    refuse_few_records(records)
    return np.asarray(mean + exact_noise(np.ones((records, 1)), covariance, streams))


def refuse_few_records(records: int) -> None:
    """Refuse to make records with exact moments where these would leave no freedom."""
    if records < 1 + SMALLEST_FREEDOM:
        raise NotEnoughRecords(
            f"exact synthetic data need at least {1 + SMALLEST_FREEDOM} records: {records} asked for"
        )


def smoothed_bootstrap(X: Floats, rows: Ints, bandwidth: float | None, streams: Streams) -> Floats:
    """The records `rows` of X with normal noise of bandwidth h, shrunk so that mean and covariance stay on average.

    h is in units of the standard deviation; None takes (4 / (n (p + 2)))^(1 / (p + 4)) (Silverman 1986).
    """
    n, p = X.shape
    h = (4.0 / (n * (p + 2))) ** (1.0 / (p + 4)) if bandwidth is None else bandwidth
    mean, V = mean_and_covariance(X)
    F = factor(V)
    noise = times(streams.normals(0, len(rows), len(F)), h * F)
    noise += X[rows] - mean
    return np.asarray(mean + noise / np.sqrt(1.0 + h * h))


def _new_residuals(residual: Floats, Q: Floats, streams: Streams, variant: Variant, rho: float | None) -> Floats:
    n = len(residual)
    if variant == "A0":
        return np.zeros_like(residual)
    if variant == "C" and rho is not None:
        return _turned(residual, Q, streams, rho)
    F = factor(exact_product(residual))
    G = streams.normals(0, n, len(F))
    if variant == "C":
        return times(_frame(G, Q), F)
    drawn = times(G, F / np.sqrt(n))
    return drawn if variant == "A" else project_off(drawn, Q)


def _turned(residual: Floats, Q: Floats, streams: Streams, rho: float) -> Floats:
    """Residuals whose components correlate with the old ones by rho exactly."""
    n = len(residual)
    basis, triangle = qr(residual)
    U, s, _ = svd(triangle)
    kept = s > _LOST * s.max(initial=np.finfo(float).tiny)
    old = times(basis, U[:, kept])
    sizes = exact_product(old, residual)
    held = Q.shape[1] + 2 * old.shape[1]
    if n < held:
        raise NotEnoughRecords(
            f"IPSO with rho={rho:g} needs at least {held} records ({Q.shape[1]} for the columns kept and the mean + "
            f"twice the {old.shape[1]} dimensions replaced): {n} given"
        )
    new = _frame(streams.normals(0, *old.shape), np.hstack([Q, old]))
    return times(rho * old + np.sqrt(1.0 - rho * rho) * new, sizes)


def _frame(G: Floats, Q: Floats) -> Floats:
    """A random orthonormal frame orthogonal to Q."""
    # a second round repairs what the first loses when hardly any room is left
    for _ in range(2 if len(G) - Q.shape[1] < 2 * G.shape[1] else 1):
        G = orthonormalise(project_off(G, Q))
    return G


def refuse_too_few(records: int, kept: int, freedom: int) -> None:
    """Refuse records that leave less freedom than asked for beside so many independent columns kept."""
    if records - kept < freedom:
        raise NotEnoughRecords(
            f"IPSO needs at least {kept + freedom} records ({kept} for the columns kept and the mean "
            f"+ {freedom} free): {records} given, of which it would return the original"
        )


def refuse_explained(lengths: Floats, records: int, constant: Bools, names: Sequence[str]) -> None:
    """Refuse columns that vary and of which the columns kept leave residuals of hardly any length."""
    spread = lengths / np.sqrt(records)
    explained = [str(names[j]) for j in np.flatnonzero((spread < _EXPLAINED) & ~constant).tolist()]
    if explained:
        raise BadInput(
            f"{', '.join(explained)}: the columns kept determine these columns exactly, so that IPSO would return the "
            "original; keep fewer columns (given) or leave these out"
        )
