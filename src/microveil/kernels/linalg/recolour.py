"""Affine maps that give a table an exact mean and covariance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.streams import Streams
from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import complete, eigh, qr, svd, triangle
from microveil.kernels.fixed.sums import exact_product
from microveil.kernels.linalg.bases import (
    EIGEN_TOLERANCE,
    column_norms,
    correlation_scale,
    factor,
    orthonormalise,
    project_off,
)
from microveil.kernels.moments.central import (
    CentredMoments,
    centred_blocks,
    centred_moments,
    column_means,
    constant_columns,
    mean_and_covariance,
    row_blocks,
)

Mode = Literal["sym", "procrustes", "chol"]

_LOST = 1e-9  # singular values below this part of the largest carry no information
# Deviation of a covariance, in standard deviations, that is left as it is. The covariance is computed in the pass that
# writes the file; above this the map is applied again.
_EXACT = 1e-12
_ROUNDS = 3  # a direction of the data 1e-6 times as long as the longest takes two


def recolour(
    Y: Floats,
    mean: Floats,
    covariance: Floats,
    mode: Mode = "sym",
    streams: Streams | None = None,
) -> Floats:
    """Y moved so that its mean and covariance (divisor n) equal the targets up to rounding.

    `sym`: the nearest such table to Y on the scale of the target's standard deviations, by the
    optimal-transport map (Olkin & Pukelsheim 1982). `procrustes`: the same optimum through the polar
    factor, with directions that Y lacks filled at random. `chol`: triangular map, depends on the order
    of the attributes. The target may be singular. Where Y lacks directions of the target `sym` goes on
    as `procrustes` and needs the streams; `chol` refuses. The result has the memory layout of Y.
    """
    d, C = correlation_scale(covariance)
    mean = np.asarray(mean, dtype=np.float64)
    # an attribute of target variance 0 becomes its mean whatever Y holds
    moving = d > 0
    if not moving.all():
        result = np.empty_like(Y)
        result[:] = mean
        if moving.any():
            part = covariance[np.ix_(moving, moving)]
            result[:, moving] = recolour(Y[:, moving], mean[moving], part, mode, streams)
        return result
    F = factor(C)
    n, rank = len(Y), len(F)
    if n - 1 < rank:
        raise NotEnoughRecords(f"a covariance of rank {rank} needs at least {rank + 1} records: {n} given")
    if mode == "chol":
        return np.asarray(mean + times(_triangular_frame(Y), np.sqrt(n) * _triangular(F) * d))
    if mode not in ("sym", "procrustes"):
        raise BadInput(f"mode={mode!r} is not one of 'sym', 'procrustes', 'chol'")
    moved = _nearest(Y, mean, d, F) if mode == "sym" else None
    return _nearest_filled(Y, mean, d, F, streams) if moved is None else moved


@dataclass(frozen=True)
class AffineMap:
    """(Y - start) T - offset + mean, every row by the same operations."""

    start: Floats
    offset: Floats
    T: Floats
    mean: Floats

    def about_mean(self, Y: Floats) -> Floats:
        """The rows moved, less the mean they get."""
        left = np.empty_like(Y)
        for rows, centred in centred_blocks(Y, self.start):
            np.subtract(times(centred, self.T), self.offset, out=left[rows])
        return left

    def apply(self, Y: Floats) -> Floats:
        """The rows moved."""
        left = self.about_mean(Y)
        return np.add(left, self.mean, out=left)


def nearest_maps(
    first: CentredMoments, covariance_after: Callable[[Sequence[AffineMap]], Floats], mean: Floats, covariance: Floats
) -> tuple[AffineMap, ...] | None:
    """The maps, one after the other, that give data these moments and the nearest table on the target's scales.

    `first` are the moments of the data; `covariance_after` says their covariance after some maps (of what the last of
    them makes, about its mean). All attributes of the target vary. None where the data lack directions of the target.
    Each map is found from moments, whose rounding grows with their condition: the same again removes what it left.
    """
    d, C = correlation_scale(covariance)
    return _maps(first, covariance_after, mean, d, factor(C))


def _maps(
    first: CentredMoments,
    covariance_after: Callable[[Sequence[AffineMap]], Floats],
    mean: Floats,
    d: Floats,
    F: Floats,
) -> tuple[AffineMap, ...] | None:
    start, shift, A = first
    maps: tuple[AffineMap, ...] = ()
    for _ in range(_ROUNDS):
        T = _nearest_map(A / d / d[:, None], F)
        if T is None:
            return None
        T = T / d[:, None] * d
        maps = (*maps, AffineMap(start, times(shift[None, :], T)[0], T, mean))
        A = covariance_after(maps)
        if np.abs(A / d / d[:, None] - times(F.T, F)).max(initial=0.0) <= _EXACT:
            break
        start, shift = mean, np.zeros(len(mean))
    return maps


def _nearest(Y: Floats, mean: Floats, d: Floats, F: Floats) -> Floats | None:
    """The nearest table to Y of covariance F'F in units of d; None where Y lacks directions."""
    held = Y

    def covariance_after(maps: Sequence[AffineMap]) -> Floats:
        nonlocal held
        left = maps[-1].about_mean(held)
        found = mean_and_covariance(left)[1]
        held = np.add(left, maps[-1].mean, out=left)
        return found

    return None if _maps(centred_moments(Y), covariance_after, mean, d, F) is None else held


def _nearest_map(A: Floats, F: Floats) -> Floats | None:
    """The T that makes of centred data with covariance A the nearest of covariance F'F; None if they lack directions.

    With data Z K, where Z is white and K K' = F A F', the nearest white data are Z times the polar factor of K.
    """
    own, R = correlation_scale(A)
    a, Q = eigh(R)
    kept = a > EIGEN_TOLERANCE * len(a) * a[-1]
    if kept.sum() < len(F):
        return None
    spread, Q = np.sqrt(a[kept]), Q[:, kept]
    P, _, Rt = svd(times((spread * Q * own[:, None]).T, F.T))
    per_own = np.divide(1.0, own, out=np.zeros(len(own)), where=own > 0)
    return times(times(per_own[:, None] * Q / spread, times(P, Rt)), F)


def _nearest_filled(Y: Floats, mean: Floats, d: Floats, F: Floats, streams: Streams | None) -> Floats:
    """The nearest table through orthogonal factors of Y itself, with directions that it lacks drawn at random."""
    n = len(Y)
    centred = _centred(Y)
    own = column_norms(centred) / np.sqrt(n)
    centred /= np.where(own > 0, own, 1.0)
    Q, R = qr(centred)
    del centred
    U, s, Vt = svd(R)
    kept = s > _LOST * s.max(initial=0.0)
    P, _, Rt = svd(times(s[kept, None] * Vt[kept] * (own / d), F.T))
    found = min(P.shape[1], len(F))
    # the directions that the data lack complete the right factor
    Rt = np.ascontiguousarray(complete(np.hstack([Rt.T, np.zeros((len(F), len(F) - found))]), found).T)
    frame = times(Q, times(U[:, kept], times(P, Rt[:found])))
    if found < len(F):
        frame += times(_drawn_beside(times(Q, U[:, kept]), len(F) - found, streams, len(F)), Rt[found:])
    del Q
    # near-lost directions are orthogonal to the constant and to one another only roughly
    frame -= column_means(frame)
    w, V = eigh(exact_product(frame))
    return _spread_out(frame, times(times(V / np.sqrt(w), V.T), F * (np.sqrt(n) * d)), mean, Y)


def _spread_out(frame: Floats, T: Floats, mean: Floats, like: Floats) -> Floats:
    """frame T + mean in the memory layout of another table."""
    result = np.empty_like(like)
    for rows in row_blocks(like):
        np.add(times(frame[rows], T), mean, out=result[rows])
    return result


def _drawn_beside(held: Floats, count: int, streams: Streams | None, wanted: int) -> Floats:
    """Random orthonormal columns orthogonal to the constant and to those held."""
    if streams is None:
        raise BadInput(
            f"the data span {held.shape[1]} of the {wanted} dimensions of the target covariance;"
            " give streams to fill the others at random"
        )
    held = orthonormalise(np.hstack([np.full((len(held), 1), 1.0 / np.sqrt(len(held))), held]))
    fill = streams.normals(0, len(held), count)
    for _ in range(2):
        fill = orthonormalise(project_off(fill, held))
    return fill


def _centred(Y: Floats) -> Floats:
    """Y less its means; columns constant up to rounding become zeros."""
    once: Floats = Y - column_means(Y)
    once -= column_means(once)
    once[:, constant_columns(Y)] = 0.0
    return once


def _triangular_frame(Y: Floats) -> Floats:
    """Orthonormal columns that are a triangular transform of the centred columns of Y."""
    centred = _centred(Y)
    norms = column_norms(centred)
    lacking = int((norms == 0).sum())
    if not lacking:
        centred /= norms
        w = eigh(exact_product(centred))[0]
        lacking = int((w <= EIGEN_TOLERANCE * len(w) * w.max(initial=0.0)).sum())
    if lacking:
        raise BadInput(
            f"mode 'chol' needs independent columns: {len(norms) - lacking} of {len(norms)} are;"
            " use mode 'sym' or 'procrustes'"
        )
    frame = orthonormalise(centred)
    return orthonormalise(frame - column_means(frame))


def _triangular(F: Floats) -> Floats:
    """The upper triangular U with U'U = F'F and a diagonal >= 0, rows of zeros below the rank."""
    R = triangle(F)
    U = np.zeros((F.shape[1], F.shape[1]))
    U[: len(R)] = R
    return U
