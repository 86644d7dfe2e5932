"""Affine maps that give a table an exact mean and covariance."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.linear import EIGEN_TOLERANCE, correlation_scale, factor, orthonormalise, project_off
from microveil.kernels.moments import constant_columns

Float = NDArray[np.float64]
Mode = Literal["sym", "procrustes", "chol"]

_LOST = 1e-9  # singular values below this part of the largest carry no information


def recolour(
    Y: Float,
    mean: Float,
    covariance: Float,
    mode: Mode = "sym",
    generator: np.random.Generator | None = None,
) -> Float:
    """Y moved so that its mean and covariance (divisor n) equal the targets up to rounding.

    `sym`: the nearest such table to Y on the scale of the target's standard deviations, by the
    optimal-transport map (Olkin & Pukelsheim 1982). `procrustes`: the same optimum through the polar
    factor, with directions that Y lacks filled at random. `chol`: triangular map, depends on the order
    of the attributes. The target may be singular. Where Y lacks directions of the target `sym` goes on
    as `procrustes` and needs the generator; `chol` refuses.
    """
    d, C = correlation_scale(covariance)
    # an attribute of target variance 0 becomes its mean whatever Y holds
    moving = d > 0
    F = factor(C[np.ix_(moving, moving)])
    n, rank = len(Y), len(F)
    if n - 1 < rank:
        raise NotEnoughRecords(f"a covariance of rank {rank} needs at least {rank + 1} records: {n} given")
    if mode == "chol":
        frame, F = _triangular_frame(Y[:, moving]), _triangular(F)
    elif mode in ("sym", "procrustes"):
        M = _centred(Y[:, moving] / d[moving]) @ F.T
        frame = _polar(M, generator, by_svd=mode == "procrustes")
    else:
        raise BadInput(f"mode={mode!r} is not one of 'sym', 'procrustes', 'chol'")
    result = np.tile(np.asarray(mean, dtype=np.float64), (n, 1))
    result[:, moving] += frame @ (np.sqrt(n) * F * d[moving])
    return result


def _centred(Y: Float) -> Float:
    """Y less its means; columns constant up to rounding become zeros."""
    once: Float = Y - Y.mean(axis=0)
    once -= once.mean(axis=0)
    once[:, constant_columns(Y)] = 0.0
    return once


def _polar(M: Float, generator: np.random.Generator | None, by_svd: bool) -> Float:
    """The orthonormal frame nearest to the centred M, its columns orthogonal to the constant."""
    frame = None if by_svd else _whitened(M)
    if frame is None:
        frame = _polar_by_svd(M, generator)
    # near-lost directions leave the first round orthogonal to the constant and to one another only roughly
    polished = _whitened(frame - frame.mean(axis=0))
    return frame if polished is None else polished


def _whitened(M: Float) -> Float | None:
    """M (M'M)^-1/2, or None where M'M is singular to working precision."""
    w, U = np.linalg.eigh(M.T @ M)
    if len(w) and w[0] <= EIGEN_TOLERANCE * len(w) * w[-1]:
        return None
    return np.asarray(M @ ((U / np.sqrt(w)) @ U.T))


def _polar_by_svd(M: Float, generator: np.random.Generator | None) -> Float:
    Q, R = np.linalg.qr(M)
    U, s, Vt = np.linalg.svd(R)
    lost = s <= _LOST * s.max(initial=0.0)
    L = Q @ U
    if lost.any():
        if generator is None:
            raise BadInput(
                f"the data span {int((~lost).sum())} of the {len(s)} dimensions of the target covariance;"
                " give a generator to fill the others at random"
            )
        held = np.hstack([np.full((len(M), 1), 1.0 / np.sqrt(len(M))), L[:, ~lost]])
        held = orthonormalise(held)
        fill = generator.standard_normal((len(M), int(lost.sum())))
        for _ in range(2):
            fill = orthonormalise(project_off(fill, held))
        L[:, lost] = fill
    return np.asarray(L @ Vt)


def _triangular_frame(Y: Float) -> Float:
    """Orthonormal columns that are a triangular transform of the centred columns of Y."""
    centred = _centred(Y)
    norms = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    lacking = int((norms == 0).sum())
    if not lacking:
        centred /= norms
        w = np.linalg.eigvalsh(centred.T @ centred)
        lacking = int((w <= EIGEN_TOLERANCE * len(w) * w.max(initial=0.0)).sum())
    if lacking:
        raise BadInput(
            f"mode 'chol' needs independent columns: {len(norms) - lacking} of {len(norms)} are;"
            " use mode 'sym' or 'procrustes'"
        )
    frame = orthonormalise(centred)
    return orthonormalise(frame - frame.mean(axis=0))


def _triangular(F: Float) -> Float:
    """The upper triangular U with U'U = F'F and a diagonal >= 0, rows of zeros below the rank."""
    R = np.linalg.qr(F, mode="r")
    U = np.zeros((F.shape[1], F.shape[1]))
    U[: len(R)] = R * np.where(np.diag(R) < 0, -1.0, 1.0)[:, None]
    return U
