"""Synthetic numbers with exact first and second moments in some large groups, with normal or heavy tails."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microveil.core.errors import NotEnoughRecords
from microveil.kernels.linalg.bases import orthonormal_basis, orthonormalise, project_off
from microveil.kernels.mixture.em import fit_mixture
from microveil.kernels.moments.central import constant_columns
from microveil.kernels.moments.jitter import fitted_shift, stretch

Float = NDArray[np.float64]
Int = NDArray[np.int64]

_EXPLAINED = 1e-9  # residual standard deviation, relative to the column's in the group, that counts as none
_LOST = 1e-10  # singular values below this part of the largest carry no information
_FEWEST, _MOST = (
    3.0,
    100.0,
)  # degrees of freedom fitted: with fewer single records have all the spread; normal from there
_FITTED_ON = 5000


def redraw_clusters(
    T: Float,
    S: Float,
    labels: Int,
    degrees: Float | None,
    generator: np.random.Generator,
    freedom: int = 2,
    jitter: float = 0.0,
) -> tuple[Float, Float]:
    """T redrawn given S inside every group, in the shape of a normal or a t distribution, and its degrees of freedom.

    The residuals of the regression on S in a group are replaced by normal rows, or rows of a multivariate t with the
    finite `degrees` of freedom of the group, mapped linearly so that means, covariances and those with S stay exactly.
    None: degrees that fit the residuals best. What is constant in a group, or determined there by S, comes back as it
    was. Labels number the groups from 0. `jitter` as in `ipso_in_groups`.
    """
    groups = int(labels.max(initial=-1)) + 1
    new, used = T.copy(), np.full(groups, np.inf) if degrees is None else degrees.copy()
    for g in range(groups):
        rows = np.flatnonzero(labels == g)
        varies = np.flatnonzero(~constant_columns(T[rows]))
        if not len(varies):
            continue
        X = T[np.ix_(rows, varies)]
        residual, scale, kept = _residuals(X, S[rows], freedom, g)
        _, s, Vt = np.linalg.svd(np.linalg.qr(residual, mode="r"))
        carries = s > _LOST * s.max(initial=0.0)
        basis = Vt[: len(s)][carries]
        F = s[carries, None] * basis
        if degrees is None:
            used[g] = fitted_degrees(residual, F, generator)
        frame = _frame(_rows(len(rows), len(F), used[g], generator), kept)
        change = -residual
        if jitter > 0:
            every = np.ones((1, len(F)), dtype=np.bool_)
            F = F + s[carries, None] * (stretch(residual[None], every, jitter, generator)[0] @ basis)
            beside = orthonormal_basis(S[rows] - S[rows].mean(axis=0))
            change += fitted_shift(X[None], beside[None], jitter, generator)[0]
        new[np.ix_(rows, varies)] += scale * (frame @ F + change)
    return new, used


def fitted_degrees(residual: Float, F: Float, generator: np.random.Generator) -> float:
    """The degrees of freedom of the t distribution that fits residuals R with R'R = F'F best; infinite for normal ones.

    Reference: Liu & Rubin 1995.
    """
    n = len(residual)
    if not len(F):
        return float("inf")
    some = residual if n <= _FITTED_ON else residual[generator.choice(n, _FITTED_ON, replace=False)]
    whitened = np.ascontiguousarray(some @ np.linalg.pinv(F) * np.sqrt(n))
    fit = fit_mixture(whitened, np.zeros(len(some), dtype=np.int64), "VVV", degrees=None)
    # without a fit most records are equal: the heaviest tails there are
    nu = _FEWEST if fit is None else max(_FEWEST, float(fit.degrees[0]))
    return nu if nu < _MOST else float("inf")


def _residuals(T: Float, S: Float, freedom: int, g: int) -> tuple[Float, Float, Float]:
    """Standardised residuals of the regression on S, the scales, and a basis of what S explains; T is overwritten."""
    n = len(T)
    kept = orthonormal_basis(np.column_stack([np.ones(n), S]))
    if n - kept.shape[1] < freedom:
        raise NotEnoughRecords(
            f"group {g} has {n} records and {n - kept.shape[1]} free dimensions; at least {freedom} are needed, or the "
            "original comes back: raise k or keep fewer columns (given)"
        )
    T -= T.mean(axis=0)
    scale = np.sqrt(np.einsum("ij,ij->j", T, T) / n)
    T /= scale
    residual = project_off(T, kept)
    residual *= np.sqrt(np.einsum("ij,ij->j", residual, residual) / n) >= _EXPLAINED
    return residual, scale, kept


def _frame(G: Float, kept: Float) -> Float:
    """Orthonormal columns from those of G, orthogonal to what is kept."""
    frame = orthonormalise(project_off(G, kept))
    if len(G) - kept.shape[1] < 2 * G.shape[1]:
        # a second round repairs what the first loses when hardly any room is left
        frame = orthonormalise(project_off(frame, kept))
    return frame


def _rows(n: int, columns: int, nu: float, generator: np.random.Generator) -> Float:
    rows = generator.standard_normal((n, columns))
    if np.isfinite(nu):
        rows *= np.sqrt(nu / generator.chisquare(nu, size=n))[:, None]
    return rows
