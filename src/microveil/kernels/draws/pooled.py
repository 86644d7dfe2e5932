"""Synthetic numbers with exact group means and exact moments of the whole file, for groups of any size."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import NotEnoughRecords
from microveil.core.streams import Streams
from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import qr, svd
from microveil.kernels.fixed.sums import exact_product
from microveil.kernels.linalg.bases import factor, orthonormal_basis, orthonormalise, project_off
from microveil.kernels.moments.central import column_means, standard_deviations
from microveil.kernels.tables.classes import class_counts

_NONE = 1e-9  # spread inside groups, relative to the column's in the file, that counts as none
_LOST = 1e-10  # singular values below this part of the largest carry no information


def ipso_pooled(
    T: Floats,
    S: Floats,
    labels: Ints,
    streams: Streams,
    rho: float | None = None,
    freedom: int = 2,
    jitter: float = 0.0,
) -> tuple[Floats, int]:
    """T redrawn given S and the groups by one regression for all groups, and the dimensions left free.

    Burridge's obfuscation with an indicator of each group among the columns kept: means of every group stay, and
    covariances of the whole file, also those with S; covariances inside a group do not. The indicators are never
    formed. `rho` and `jitter` as in `ipso_in_groups`; here jitter moves the means of groups only. Reference:
    Burridge 2003, Information preserving statistical obfuscation.
    """
    n, groups = len(T), len(class_counts([labels]))
    inside = _less_group_means(T, labels)
    spread = np.sqrt(np.mean(inside**2, axis=0))
    Q = _basis(S, labels)
    room = n - groups - Q.shape[1]
    if room < freedom:
        raise NotEnoughRecords(
            f"{n} records in {groups} groups with {Q.shape[1]} columns kept leave {room} free dimensions and {freedom} "
            "are needed: raise k or keep fewer columns (given)"
        )
    residual = project_off(inside / np.where(spread > 0, spread, 1.0), Q)
    fixed = (np.sqrt(np.mean(residual**2, axis=0)) < _NONE) | (spread < _NONE * standard_deviations(T, ddof=0))
    residual[:, fixed] = 0.0
    change = np.where(fixed, 0.0, _turned(residual, Q, labels, streams, rho, room) - residual) * spread
    if jitter > 0:
        change += jitter * _group_errors(inside, labels, streams.at("means"))[labels]
    return T + change, room


def group_sums(X: Floats, labels: Ints) -> Floats:
    """Column sums in each group."""
    return np.column_stack([np.bincount(labels, weights=column) for column in X.T])


def _less_group_means(X: Floats, labels: Ints) -> Floats:
    sizes = np.maximum(np.bincount(labels), 1)[:, None]
    # less the overall mean first, and twice: means of values far from zero are rounded
    X = X - column_means(X)
    for _ in range(2):
        X = X - (group_sums(X, labels) / sizes)[labels]
    return X


def _basis(S: Floats, labels: Ints) -> Floats:
    if S.shape[1] == 0:
        return np.zeros((len(S), 0))
    inside = _less_group_means(S, labels)
    varies = np.sqrt(np.mean(inside**2, axis=0)) > _NONE * standard_deviations(S, ddof=0)
    return orthonormal_basis(inside[:, varies])


def _turned(residual: Floats, Q: Floats, labels: Ints, streams: Streams, rho: float | None, room: int) -> Floats:
    """Residuals turned at random in the space orthogonal to Q and to the groups, by `rho` near the old ones."""
    F = factor(exact_product(residual))
    if rho is None:
        return times(_frame((len(residual), len(F)), Q, labels, streams), F)
    if rho == 1:
        return residual
    basis, triangle = qr(residual)
    U, s, Vt = svd(triangle)
    carries = s > _LOST * s.max(initial=np.finfo(np.float64).tiny)
    old, sizes = times(basis, U[:, carries]), s[carries, None] * Vt[carries]
    if room < 2 * old.shape[1]:
        raise NotEnoughRecords(
            f"{room} dimensions are free and rho={rho:g} needs {2 * old.shape[1]}, twice the dimensions replaced: "
            "raise k, replace or keep fewer columns, or leave rho out"
        )
    frame = _frame(old.shape, np.hstack([Q, old]), labels, streams)
    return times(rho * old + np.sqrt(1.0 - rho * rho) * frame, sizes)


def _frame(shape: tuple[int, int], Q: Floats, labels: Ints, streams: Streams) -> Floats:
    G = streams.normals(0, *shape)
    for _ in range(2):  # a second round repairs what the first loses when little room is left
        G = orthonormalise(project_off(_less_group_means(G, labels), Q))
    return G


def _group_errors(inside: Floats, labels: Ints, streams: Streams) -> Floats:
    """For each group an error of its mean: normal, of standard deviation s / n, correlated as the columns are."""
    noise = streams.normals(0, len(inside))
    sizes = np.maximum(np.bincount(labels), 1)[:, None]
    return np.asarray(group_sums(noise * inside, labels) / sizes**1.5)
