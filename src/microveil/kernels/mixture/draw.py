"""Synthetic numbers with exact first and second moments in some large groups, with normal or heavy tails."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtri

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import NotEnoughRecords
from microveil.core.streams import Streams
from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import qr, svd
from microveil.kernels.linalg.bases import column_norms, orthonormal_basis, orthonormalise, project_off, right_inverse
from microveil.kernels.mixture.em import fit_mixture
from microveil.kernels.moments.central import column_means, constant_columns
from microveil.kernels.moments.jitter import shift_of_fit, stretched

_EXPLAINED = 1e-9  # residual standard deviation, relative to the column's in the group, that counts as none
_LOST = 1e-10  # singular values below this part of the largest carry no information
_FEWEST, _MOST = (
    3.0,
    100.0,
)  # degrees of freedom fitted: with fewer single records have all the spread; normal from there
_FITTED_ON = 5000


def redraw_clusters(
    T: Floats,
    S: Floats,
    labels: Ints,
    degrees: Floats | None,
    streams: Streams,
    freedom: int = 2,
    jitter: float = 0.0,
) -> tuple[Floats, Floats]:
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
        drawn = streams.of_rows(rows)
        s, Vt = svd(qr(residual)[1])[1:]
        carries = s > _LOST * s.max(initial=0.0)
        basis = Vt[carries]
        F = s[carries, None] * basis
        if degrees is None:
            used[g] = fitted_degrees(residual, F, drawn.at("fitted"))
        frame = _frame(_rows(len(rows), len(F), used[g], drawn), kept)
        change = -residual
        if jitter > 0:
            normals = drawn.of_rows(np.zeros(1, dtype=np.int64)).at("spreads").normals(0, 1, len(varies) ** 2)[0]
            F = stretched(F, basis, np.ascontiguousarray(residual.T), jitter, normals)
            beside = orthonormal_basis(S[rows] - column_means(S[rows]))
            noise = drawn.at("means").normals(0, len(rows), 1 + beside.shape[1])
            change += shift_of_fit(np.ascontiguousarray(X.T), np.ascontiguousarray(beside.T), jitter, noise).T
        new[np.ix_(rows, varies)] += scale * (times(frame, F) + change)
    return new, used


def fitted_degrees(residual: Floats, F: Floats, streams: Streams) -> float:
    """The degrees of freedom of the t distribution that fits residuals R with R'R = F'F best; infinite for normal ones.

    Reference: Liu & Rubin 1995.
    """
    n = len(residual)
    if not len(F):
        return float("inf")
    some = residual if n <= _FITTED_ON else residual[np.sort(streams.order(n)[:_FITTED_ON])]
    whitened = times(some, right_inverse(F) * np.sqrt(n))
    fit = fit_mixture(whitened, np.zeros(len(some), dtype=np.int64), "VVV", degrees=None)
    # without a fit most records are equal: the heaviest tails there are
    nu = _FEWEST if fit is None else max(_FEWEST, float(fit.degrees[0]))
    return nu if nu < _MOST else float("inf")


def _residuals(T: Floats, S: Floats, freedom: int, g: int) -> tuple[Floats, Floats, Floats]:
    """Standardised residuals of the regression on S, the scales, and a basis of what S explains; T is overwritten."""
    n = len(T)
    kept = orthonormal_basis(np.column_stack([np.ones(n), S]))
    if n - kept.shape[1] < freedom:
        raise NotEnoughRecords(
            f"group {g} has {n} records and {n - kept.shape[1]} free dimensions; at least {freedom} are needed, or the "
            "original comes back: raise k or keep fewer columns (given)"
        )
    T -= column_means(T)
    scale = column_norms(T) / np.sqrt(n)
    T /= scale
    residual = project_off(T, kept)
    residual *= column_norms(residual) / np.sqrt(n) >= _EXPLAINED
    return residual, scale, kept


def _frame(G: Floats, kept: Floats) -> Floats:
    """Orthonormal columns from those of G, orthogonal to what is kept."""
    frame = orthonormalise(project_off(G, kept))
    if len(G) - kept.shape[1] < 2 * G.shape[1]:
        # a second round repairs what the first loses when hardly any room is left
        frame = orthonormalise(project_off(frame, kept))
    return frame


def _rows(n: int, columns: int, nu: float, streams: Streams) -> Floats:
    rows = streams.normals(0, n, columns)
    if np.isfinite(nu):
        chi_square = chdtri(nu, streams.at("tails").uniforms(0, n))
        rows *= np.sqrt(nu / chi_square)
    return rows
