"""Decompositions of small matrices by loops of fixed order: the same bits whatever LAPACK is installed."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.compiling import compiled

_SWEEPS = 60  # cyclic Jacobi needs about ten
_EPS = np.finfo(np.float64).eps


def eigh(S: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues of a symmetric matrix, ascending, and eigenvectors whose largest entry is positive.

    Cyclic Jacobi (Golub & Van Loan 2013, section 8.5): small eigenvalues of a well-scaled matrix keep their digits.
    """
    values, vectors = _jacobi(np.array(S, dtype=np.float64, order="C"))
    order = np.argsort(values, kind="stable")
    if not len(order):
        return values, vectors
    vectors = vectors[:, order]
    leading = np.abs(vectors).argmax(axis=0)
    return values[order], vectors * np.where(vectors[leading, np.arange(len(order))] < 0, -1.0, 1.0)


def svd(A: Floats) -> tuple[Floats, Floats, Floats]:
    """U, s, Vt with A = U diag(s) Vt, s descending, as many as the shorter side.

    One-sided Jacobi (Hestenes 1958). Directions of singular value 0 are filled with an orthonormal basis.
    """
    m, n = A.shape
    if m < n:
        U, s, Vt = svd(A.T)
        return np.ascontiguousarray(Vt.T), s, np.ascontiguousarray(U.T)
    U, V = _hestenes(np.array(A, dtype=np.float64, order="C"))
    s = _column_norms(U)
    order = np.argsort(-s, kind="stable")
    U, V, s = U[:, order], V[:, order], s[order]
    kept = int((s > _EPS * max(m, n) * s.max(initial=0.0)).sum()) if n else 0
    s[kept:] = 0.0
    frame = np.zeros((m, n))
    frame[:, :kept] = U[:, :kept] / s[:kept]
    return complete(frame, kept), s, np.ascontiguousarray(V.T)


def cholesky(S: Floats) -> Floats | None:
    """The lower triangular L with LL' = S; None where S is not positive definite."""
    L = _cholesky(np.array(S, dtype=np.float64, order="C"))
    return L if len(L) == len(S) else None


def qr(A: Floats) -> tuple[Floats, Floats]:
    """Q, R with A = QR, Q of as many columns as the shorter side, and a diagonal of R that is not negative."""
    return _householder(np.array(A, dtype=np.float64, order="C"))


def triangle(A: Floats) -> Floats:
    """The R of `qr` alone, in less memory and time than with Q."""
    return _triangle(np.array(A, dtype=np.float64, order="C"))


def solve_lower(L: Floats, B: Floats) -> Floats:
    """X with LX = B for a lower triangular L."""
    return _solve_lower(np.ascontiguousarray(L, dtype=np.float64), np.array(B, dtype=np.float64, order="C"))


def solve(A: Floats, B: Floats) -> Floats:
    """X with AX = B for a square A, by elimination with the largest pivot; not a number for a singular A."""
    return _solve(np.array(A, dtype=np.float64, order="C"), np.array(B, dtype=np.float64, order="C"))


def complete(frame: Floats, kept: int) -> Floats:
    """Orthonormal columns of which the first `kept` are given; the others are filled in."""
    return _complete(np.array(frame, dtype=np.float64, order="C"), kept)


@compiled
def _jacobi(A: Floats) -> tuple[Floats, Floats]:
    n = len(A)
    V = np.eye(n)
    for i in range(n):
        for j in range(i):
            A[i, j] = A[j, i] = (A[i, j] + A[j, i]) / 2
    for _ in range(_SWEEPS):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                # relative to both diagonal entries: eigenvalues of every size settle
                if abs(A[p, q]) <= _EPS * np.sqrt(abs(A[p, p])) * np.sqrt(abs(A[q, q])) or A[p, q] == 0.0:
                    continue
                turned = True
                theta = (A[q, q] - A[p, p]) / (2 * A[p, q])
                t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
                if theta < 0:
                    t = -t
                c = 1.0 / np.sqrt(t * t + 1.0)
                s = t * c
                for k in range(n):
                    x, y = A[k, p], A[k, q]
                    A[k, p], A[k, q] = c * x - s * y, s * x + c * y
                for k in range(n):
                    x, y = A[p, k], A[q, k]
                    A[p, k], A[q, k] = c * x - s * y, s * x + c * y
                A[p, q] = A[q, p] = 0.0
                for k in range(n):
                    x, y = V[k, p], V[k, q]
                    V[k, p], V[k, q] = c * x - s * y, s * x + c * y
        if not turned:
            break
    return np.diag(A).copy(), V


@compiled
def _hestenes(A: Floats) -> tuple[Floats, Floats]:
    """A turned until its columns are orthogonal, and the rotation."""
    m, n = A.shape
    V = np.eye(n)
    for _ in range(_SWEEPS):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                alpha, beta, gamma = 0.0, 0.0, 0.0
                for k in range(m):
                    alpha += A[k, p] * A[k, p]
                    beta += A[k, q] * A[k, q]
                    gamma += A[k, p] * A[k, q]
                if abs(gamma) <= _EPS * np.sqrt(alpha) * np.sqrt(beta) or gamma == 0.0:
                    continue
                turned = True
                zeta = (beta - alpha) / (2.0 * gamma)
                t = 1.0 / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
                if zeta < 0:
                    t = -t
                c = 1.0 / np.sqrt(1.0 + t * t)
                s = c * t
                for k in range(m):
                    x, y = A[k, p], A[k, q]
                    A[k, p], A[k, q] = c * x - s * y, s * x + c * y
                for k in range(n):
                    x, y = V[k, p], V[k, q]
                    V[k, p], V[k, q] = c * x - s * y, s * x + c * y
        if not turned:
            break
    return A, V


@compiled
def _column_norms(A: Floats) -> Floats:
    m, n = A.shape
    norms = np.zeros(n)
    for k in range(m):
        for j in range(n):
            norms[j] += A[k, j] * A[k, j]
    return np.sqrt(norms)


@compiled
def _cholesky(A: Floats) -> Floats:
    """The lower factor, or as many rows of it as there are before a pivot that is not positive."""
    n = len(A)
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i > j:
                L[i, j] = total / L[j, j]
            elif total > 0.0:
                L[i, i] = np.sqrt(total)
            else:
                return L[:i]
    return L


@compiled
def _householder(A: Floats) -> tuple[Floats, Floats]:
    m, n = A.shape
    steps = min(m, n)
    reflectors = np.zeros((m, steps))
    for j in range(steps):
        _clear_column(A, j, reflectors[:, j])
    Q = np.zeros((m, steps))
    for j in range(steps):
        Q[j, j] = 1.0
    for j in range(steps - 1, -1, -1):
        _reflect(Q, reflectors[:, j], j, j)
    R = np.zeros((steps, n))
    for i in range(steps):
        sign = -1.0 if A[i, i] < 0 else 1.0
        for j in range(i, n):
            R[i, j] = sign * A[i, j]
        for k in range(m):
            Q[k, i] *= sign
    return Q, R


@compiled
def _triangle(A: Floats) -> Floats:
    m, n = A.shape
    steps = min(m, n)
    reflector = np.zeros(m)
    R = np.zeros((steps, n))
    for i in range(steps):
        _clear_column(A, i, reflector)
        sign = -1.0 if A[i, i] < 0 else 1.0
        for j in range(i, n):
            R[i, j] = sign * A[i, j]
    return R


@compiled
def _clear_column(A: Floats, j: int, v: Floats) -> None:
    """Reflect A so that column j is 0 below the diagonal; the unit vector of the reflection goes into v."""
    m = len(A)
    norm = 0.0
    for i in range(j, m):
        norm += A[i, j] * A[i, j]
    norm = np.sqrt(norm)
    if norm == 0.0:
        return
    for i in range(j, m):
        v[i] = A[i, j]
    v[j] += norm if v[j] >= 0 else -norm
    length = 0.0
    for i in range(j, m):
        length += v[i] * v[i]
    length = np.sqrt(length)
    for i in range(j, m):
        v[i] /= length
    _reflect(A, v, j, j)


@compiled
def _reflect(A: Floats, v: Floats, first_row: int, first_column: int) -> None:
    m, n = A.shape
    along = np.zeros(n)
    for i in range(first_row, m):
        for j in range(first_column, n):
            along[j] += v[i] * A[i, j]
    for i in range(first_row, m):
        for j in range(first_column, n):
            A[i, j] -= 2.0 * v[i] * along[j]


@compiled
def _solve_lower(L: Floats, B: Floats) -> Floats:
    n, q = B.shape
    for i in range(n):
        for k in range(i):
            for j in range(q):
                B[i, j] -= L[i, k] * B[k, j]
        for j in range(q):
            B[i, j] /= L[i, i]
    return B


@compiled
def _solve(A: Floats, B: Floats) -> Floats:
    n, q = B.shape
    for c in range(n):
        pivot = c + int(np.argmax(np.abs(A[c:, c])))
        if pivot != c:
            for j in range(n):
                A[c, j], A[pivot, j] = A[pivot, j], A[c, j]
            for j in range(q):
                B[c, j], B[pivot, j] = B[pivot, j], B[c, j]
        if A[c, c] == 0.0:
            return np.full((n, q), np.nan)
        for i in range(c + 1, n):
            part = A[i, c] / A[c, c]
            for j in range(c + 1, n):
                A[i, j] -= part * A[c, j]
            for j in range(q):
                B[i, j] -= part * B[c, j]
    for i in range(n - 1, -1, -1):
        for j in range(q):
            for k in range(i + 1, n):
                B[i, j] -= A[i, k] * B[k, j]
            B[i, j] /= A[i, i]
    return B


@compiled
def _complete(frame: Floats, kept: int) -> Floats:
    """Unit vectors made orthogonal to what is there, the one that keeps most of its length first."""
    m, n = frame.shape
    for j in range(kept, n):
        left = np.ones(m)
        for i in range(m):
            for k in range(j):
                left[i] -= frame[i, k] * frame[i, k]
        place = int(np.argmax(left))
        v = np.zeros(m)
        v[place] = 1.0
        for _ in range(2):  # twice, against rounding
            for k in range(j):
                along = 0.0
                for i in range(m):
                    along += frame[i, k] * v[i]
                for i in range(m):
                    v[i] -= along * frame[i, k]
        norm = 0.0
        for i in range(m):
            norm += v[i] * v[i]
        norm = np.sqrt(norm)
        for i in range(m):
            frame[i, j] = v[i] / norm
    return frame
