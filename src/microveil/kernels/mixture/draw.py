"""Synthetic numbers with exact first and second moments in some large groups, with normal or heavy tails."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtri

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import NotEnoughRecords
from microveil.core.streams import Streams
from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import svd, triangle
from microveil.kernels.linalg.bases import (
    column_norms,
    orthonormal_basis,
    orthonormalise,
    project_off_in_place,
    right_inverse,
)
from microveil.kernels.mixture.em import fit_mixture
from microveil.kernels.moments.central import column_means, constant_columns, row_blocks
from microveil.kernels.moments.jitter import shift_of_fit, stretch_parts

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
    was. Labels number the groups from 0. `jitter` as in `ipso_in_groups`. T is overwritten by the new values: beside it
    stand no more than some matrices of the size of one group.
    """
    groups = int(labels.max(initial=-1)) + 1
    used = np.full(groups, np.inf) if degrees is None else degrees.copy()
    for g in range(groups):
        rows = np.flatnonzero(labels == g)
        X = T[rows]
        varies = np.flatnonzero(~constant_columns(X))
        if not len(varies):
            continue
        if len(varies) < T.shape[1]:
            X = X.take(varies, axis=1)
        kept, scale = _scaled_group(X, S[rows], freedom, g)
        change, used[g] = _change(
            X, S[rows], kept, None if degrees is None else degrees[g], streams.of_rows(rows), jitter
        )
        change *= scale
        for j, column in enumerate(varies):
            T[rows, column] += change[:, j]
        del X, change  # the next group needs the room
    return T, used


def _change(
    X: Floats, S: Floats, kept: Floats, degrees: float | None, streams: Streams, jitter: float
) -> tuple[Floats, float]:
    """What is added to the standardised records of a group, and the degrees of freedom; X is overwritten."""
    n, p = X.shape
    scaled = X.copy() if jitter > 0 else X
    residual = _residuals(X, kept)
    s, Vt = svd(triangle(residual))[1:]
    carries = s > _LOST * s.max(initial=0.0)
    basis = Vt[carries]
    F = s[carries, None] * basis
    nu = fitted_degrees(residual, F, streams.at("fitted")) if degrees is None else degrees
    frame = _frame(_rows(n, len(F), nu, streams), kept)
    if jitter > 0:
        normals = streams.of_rows(np.zeros(1, dtype=np.int64)).at("spreads").normals(0, 1, p**2)[0]
        F = stretch_parts(F, basis, np.ascontiguousarray(residual.T), jitter, normals)
    change = np.negative(residual, out=residual)
    if jitter > 0:
        beside = orthonormal_basis(S - column_means(S))
        noise = streams.at("means").normals(0, n, 1 + beside.shape[1])
        change += shift_of_fit(np.ascontiguousarray(scaled.T), np.ascontiguousarray(beside.T), jitter, noise).T
    for block in row_blocks(frame):
        change[block] += times(frame[block], F)
    return change, nu


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


def _scaled_group(T: Floats, S: Floats, freedom: int, g: int) -> tuple[Floats, Floats]:
    """Centre and scale the columns of T, which is overwritten; a basis of what S explains, and the scales."""
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
    return kept, scale


def _residuals(T: Floats, kept: Floats) -> Floats:
    """Residuals of standardised columns, which are overwritten; 0 where what is kept explains a column."""
    residual = project_off_in_place(T, kept)
    residual *= column_norms(residual) / np.sqrt(len(T)) >= _EXPLAINED
    return residual


def _frame(G: Floats, kept: Floats) -> Floats:
    """Orthonormal columns from those of G, which is overwritten, orthogonal to what is kept."""
    frame = orthonormalise(project_off_in_place(G, kept), overwrite=True)
    if len(G) - kept.shape[1] < 2 * G.shape[1]:
        # a second round repairs what the first loses when hardly any room is left
        frame = orthonormalise(project_off_in_place(frame, kept), overwrite=True)
    return frame


def _rows(n: int, columns: int, nu: float, streams: Streams) -> Floats:
    rows = streams.normals(0, n, columns)
    if np.isfinite(nu):
        chi_square = chdtri(nu, streams.at("tails").uniforms(0, n))
        rows *= np.sqrt(nu / chi_square)
    return rows
