"""Orthonormal frames in one group of records, by loops of fixed order. Columns are held as rows: contiguous."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.core.compiling import compiled, inlined

_ROUNDING = 8 * np.finfo(np.float64).eps
_EXPLAINED = 1e-9  # residual standard deviation, relative to the column's in the group, that counts as none
_LOST = 1e-10  # what is left of a column below this part of the longest carries no information


@compiled
def are_constant(X: Floats) -> Bools:
    """Which columns differ by no more than rounding of their magnitude."""
    found = np.zeros(len(X), np.bool_)
    for j in range(len(X)):
        high, low = X[j].max(), X[j].min()
        found[j] = high - low <= _ROUNDING * max(abs(high), abs(low))
    return found


@compiled
def standardise_columns(X: Floats, constant: Bools) -> tuple[Floats, Floats]:
    """Columns of mean 0 and standard deviation 1 (constants: all 0), and the deviations (1 where there is none)."""
    scaled, scale = X.copy(), np.ones(len(X))
    for j in range(len(X)):
        if constant[j]:
            scaled[j] = 0.0
            continue
        # twice: the mean of values far from zero is rounded
        _centre(scaled[j])
        _centre(scaled[j])
        spread = np.sqrt(_dot(scaled[j], scaled[j]) / X.shape[1])
        if spread > 0:
            scale[j] = spread
            for i in range(X.shape[1]):
                scaled[j, i] /= spread
    return scaled, scale


@compiled
def explained_columns(residual: Floats) -> Bools:
    """Which columns have nothing left beside what explains them."""
    found = np.zeros(len(residual), np.bool_)
    for j in range(len(residual)):
        found[j] = np.sqrt(_dot(residual[j], residual[j]) / residual.shape[1]) < _EXPLAINED
    return found


@compiled
def remove_span(X: Floats, frame: Floats) -> None:
    """Take from each column its mean and its projection on the frame; twice, against rounding."""
    for j in range(len(X)):
        _remove(X[j], frame, len(frame), True)


@compiled
def span_columns(X: Floats) -> Floats:
    """An orthonormal frame of the columns: the one that has most left is taken next (pivoted Gram-Schmidt)."""
    p, n = X.shape
    left = X.copy()
    frame = np.zeros((min(p, n), n))
    longest, rank = 0.0, 0
    while rank < len(frame):
        best, length = -1, 0.0
        for j in range(p):
            square = _dot(left[j], left[j])
            if square > length:
                best, length = j, square
        length = np.sqrt(length)
        longest = max(longest, length)
        if best < 0 or length <= _LOST * longest:
            break
        frame[rank] = left[best]
        _remove(frame[rank], frame, rank, False)
        norm = np.sqrt(_dot(frame[rank], frame[rank]))
        for i in range(n):
            frame[rank, i] /= norm
        rank += 1
        for j in range(p):
            along = _dot(left[j], frame[rank - 1])
            for i in range(n):
                left[j, i] -= along * frame[rank - 1, i]
        left[best] = 0.0
    return frame[:rank].copy()


@compiled
def orthogonal_rows(F: Floats) -> Floats:
    """An orthonormal basis of the rows of F."""
    return span_columns(F)


@compiled
def draw_frame(normals: Floats, kept: Floats, old: Floats, count: int) -> Floats:
    """Uniformly distributed orthonormal vectors orthogonal to the constant, to what is kept and to old directions.

    `normals` holds one row for each record.
    """
    n = len(normals)
    beside = np.zeros((len(kept) + len(old) + count, n))
    beside[: len(kept)] = kept
    beside[len(kept) : len(kept) + len(old)] = old
    held = len(kept) + len(old)
    for c in range(count):
        v = beside[held + c]
        for i in range(n):
            v[i] = normals[i, c]
        # again after scaling: where hardly any room is left little remains of the draw
        for _ in range(2):
            _remove(v, beside, held + c, True)
            norm = np.sqrt(_dot(v, v))
            for i in range(n):
                v[i] /= norm
    return beside[held:].copy()


@compiled
def _remove(v: Floats, frame: Floats, count: int, centred: bool) -> None:
    for _ in range(2):
        if centred:
            _centre(v)
        for c in range(count):
            along = _dot(v, frame[c])
            for i in range(len(v)):
                v[i] -= along * frame[c, i]


@inlined
def _centre(v: Floats) -> None:
    total = 0.0
    for i in range(len(v)):
        total += v[i]
    mean = total / len(v)
    for i in range(len(v)):
        v[i] -= mean


@inlined
def _dot(a: Floats, b: Floats) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total
