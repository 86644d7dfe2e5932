"""Synthetic numbers with exact first and second moments in every group of a partition, many groups at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from microveil.core.errors import NotEnoughRecords
from microveil.kernels.moments.jitter import fitted_shift, stretch

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]

_CELLS = 1 << 16  # of the stacks worked on at a time
_ROUNDING = 8 * np.finfo(np.float64).eps
_EXPLAINED = 1e-9  # residual standard deviation, relative to the column's in the group, that counts as none
_LOST = 1e-10  # singular values below this part of the largest carry no information


def ipso_in_groups(
    T: Float,
    S: Float,
    labels: Int,
    generator: np.random.Generator,
    rho: float | None = None,
    freedom: int = 2,
    jitter: float = 0.0,
) -> tuple[Float, Int]:
    """T redrawn given S inside every group, and the free dimensions of each group.

    Residuals of the regression on S in the group are turned at random about it: means, covariances and those with S
    stay in every group, hence in every union of groups (Domingo-Ferrer & Gonzalez-Nicolas 2010, Hybrid microdata using
    microaggregation). With `rho` new residual components correlate with the old ones by exactly rho
    (Langsrud 2019). A column that is constant in a group, or determined there by S, comes back as it was. Labels
    number the groups from 0.

    With `jitter` the statistics of a group are no longer exact. Somebody who knows all members but one and solves a
    mean or a regression coefficient of the group for the last one is off by a standard deviation of at least `jitter`
    standard deviations of the group; a residual sum of squares: of `jitter` residual standard deviations. Linear
    relations of the columns of T stay.
    """
    new, free = T.copy(), np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.int64)
    for groups, rows in _stacks(labels, T.shape[1] + S.shape[1] + 1):
        new[rows], free[groups] = _redrawn(T[rows], S[rows], groups, generator, rho, freedom, jitter)
    return new, free


def free_dimensions(S: Float, labels: Int) -> Int:
    """Dimensions that a regression on S leaves free in each group: its records - 1 - the rank of S there."""
    free = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.int64)
    for groups, rows in _stacks(labels, S.shape[1] + 1):
        free[groups] = rows.shape[1] - 1 - _spanned(_unit(S[rows]))[1]
    return free


def determined_columns(T: Float, S: Float, labels: Int) -> Bool:
    """Which columns of T are constant in a group or determined there by S: one row for each group."""
    found = np.ones((int(labels.max(initial=-1)) + 1, T.shape[1]), dtype=np.bool_)
    for groups, rows in _stacks(labels, T.shape[1] + S.shape[1] + 1):
        scaled, _ = _standardised(T[rows], _constant(T[rows]))
        found[groups] = _explained(_off(scaled, _spanned(_unit(S[rows]))[0]))
    return found


def _stacks(labels: Int, width: int) -> Iterator[tuple[Int, Int]]:
    """Groups of equal size, some at a time: their numbers, and the rows of each."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    first = np.cumsum(sizes) - sizes
    for size in np.unique(sizes[sizes > 0]).tolist():
        alike = np.flatnonzero(sizes == size)
        step = max(1, _CELLS // (size * width))
        for start in range(0, len(alike), step):
            groups = alike[start : start + step]
            yield groups, order[first[groups][:, None] + np.arange(size)]


def _redrawn(
    T: Float, S: Float, groups: Int, generator: np.random.Generator, rho: float | None, freedom: int, jitter: float
) -> tuple[Float, Int]:
    kept, rank = _spanned(_unit(S))
    free = T.shape[1] - 1 - rank
    constant = _constant(T)
    _refuse_short(T.shape[1], free, ~constant.all(axis=1) & (free < freedom), groups, freedom)
    scaled, scale = _standardised(T, constant)
    residual = _off(scaled, kept)
    fixed = _explained(residual)[:, None, :]
    residual *= ~fixed
    U, s, Vt = np.linalg.svd(residual, full_matrices=False)
    carries = _carries(s)
    if rho is None:
        turned = _frames(generator.standard_normal(U.shape), kept)
    elif rho == 1:
        turned = U
    else:
        old = U * carries[:, None, :]
        _refuse_narrow(free, carries.sum(axis=1), groups, rho)
        frames = _frames(generator.standard_normal(U.shape), np.concatenate([kept, old], axis=2))
        turned = rho * old + np.sqrt(1.0 - rho * rho) * frames
    shift = np.zeros(1)
    if jitter > 0:
        Vt = Vt + stretch(residual, carries, jitter, generator) @ Vt
        shift = fitted_shift(scaled, kept, jitter, generator)
    elif rho == 1:
        return T.copy(), free
    change = turned @ ((s * carries)[:, :, None] * Vt) - residual
    return T + scale * (np.where(fixed, 0.0, change) + shift), free


def _explained(residual: Float) -> Bool:
    return np.asarray(np.sqrt(np.mean(residual**2, axis=1)) < _EXPLAINED)


def _constant(X: Float) -> Bool:
    high, low = X.max(axis=1), X.min(axis=1)
    return np.asarray(high - low <= _ROUNDING * np.maximum(np.abs(high), np.abs(low)))


def _centred(X: Float) -> Float:
    # twice: the mean of values far from zero is rounded
    X = X - X.mean(axis=1, keepdims=True)
    return np.asarray(X - X.mean(axis=1, keepdims=True))


def _standardised(X: Float, constant: Bool) -> tuple[Float, Float]:
    """Columns of mean 0 and standard deviation 1 in every group (constants: all 0), and the deviations."""
    centred = _centred(X) * ~constant[:, None, :]
    scale = np.sqrt(np.mean(centred**2, axis=1, keepdims=True))
    scale = np.where(scale > 0, scale, 1.0)
    return centred / scale, scale


def _unit(S: Float) -> Float:
    return _standardised(S, _constant(S))[0]


def _spanned(W: Float) -> tuple[Float, Int]:
    """Orthonormal columns that span those of W in each group, columns of zeros behind them, and the rank."""
    U, s, _ = np.linalg.svd(W, full_matrices=False)
    carries = _carries(s)
    return U * carries[:, None, :], carries.sum(axis=1)


def _carries(s: Float) -> Bool:
    return np.asarray((s > _LOST * s.max(axis=1, initial=0.0, keepdims=True)) & (s > 0))


def _off(X: Float, Q: Float) -> Float:
    """X less its group means and its projections on Q; twice, against rounding."""
    for _ in range(2):
        X = X - X.mean(axis=1, keepdims=True)
        X = X - Q @ (Q.transpose(0, 2, 1) @ X)
    return X


def _frames(G: Float, Q: Float) -> Float:
    """Uniformly distributed orthonormal frames orthogonal to the constant and to Q, as far as there is room.

    Columns beyond the room are arbitrary; residuals have no components there.
    """
    for _ in range(2):  # a second round repairs what the first loses when hardly any room is left
        G, R = np.linalg.qr(_off(G, Q))
        G = G * np.where(np.diagonal(R, axis1=1, axis2=2) < 0, -1.0, 1.0)[:, None, :]
    return G


def _refuse_short(size: int, free: Int, short: Bool, groups: Int, freedom: int) -> None:
    if short.any():
        group, left = int(groups[short][0]), int(free[short][0])
        raise NotEnoughRecords(
            f"group {group} has {size} records and {left} free dimensions ({size} - 1 - {size - 1 - left} for the "
            f"columns kept); at least {freedom} are needed, or the original comes back: raise k or keep fewer columns "
            "(given)"
        )


def _refuse_narrow(free: Int, dimensions: Int, groups: Int, rho: float) -> None:
    narrow = free < 2 * dimensions
    if narrow.any():
        group, left, needed = (int(values[narrow][0]) for values in (groups, free, 2 * dimensions))
        raise NotEnoughRecords(
            f"group {group} has {left} free dimensions and rho={rho:g} needs {needed}, twice the dimensions replaced: "
            "raise k, replace or keep fewer columns, or leave rho out"
        )
