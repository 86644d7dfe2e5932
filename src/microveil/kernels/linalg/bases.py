"""Orthonormal bases, projections and roots of covariance matrices with scale-free rank decisions."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import cholesky, eigh, qr, solve_lower, svd
from microveil.kernels.fixed.sums import exact_product
from microveil.kernels.moments.central import column_means, constant_columns, row_blocks

BASIS_TOLERANCE = 1e-10  # singular values of unit columns below this part of the largest are zero
EIGEN_TOLERANCE = 1e-12  # eigenvalues below p times this part of the largest are zero
_NEGATIVE_TOLERANCE = 1e-10  # what an eigenvalue of a covariance may fall below zero by rounding
_PSEUDO_TOLERANCE = 1e-10
_INDEPENDENT = 1e-8  # ratio of extreme eigenvalues of the Gram matrix above which full rank is plain
_ROUGH = 0.1  # distance from orthonormal after one Cholesky pass that the second still repairs


def orthonormal_basis(W: Floats) -> Floats:
    """Orthonormal columns that span the columns of W; as many as W has rank.

    When W holds a constant column the others are centred first (the span is the same), so that
    attributes far from zero are not taken for constants.
    """
    n = len(W)
    parts = []
    constant = constant_columns(W) if n else np.zeros(W.shape[1], dtype=bool)
    rest = W
    if (constant & (W[:1] != 0).any(axis=0)).any():
        parts.append(np.full((n, 1), 1.0 / np.sqrt(n)))
        rest = W[:, ~constant]
        rest = rest - column_means(rest)
        rest -= column_means(rest)
    norms = column_norms(rest)
    parts.append(_spanning_frame(rest[:, norms > 0] / norms[norms > 0]))
    return np.hstack(parts)


def project_off(G: Floats, Q: Floats) -> Floats:
    """G less its projection on the orthonormal columns of Q.

    Twice, which keeps the orthogonality at rounding level (Giraud, Langou & Rozloznik 2005).
    """
    return project_off_in_place(G.copy(), Q)


def project_off_in_place(G: Floats, Q: Floats) -> Floats:
    """As `project_off`, without a second matrix: G is overwritten and returned."""
    for _ in range(2):
        coefficients = exact_product(Q, G)
        for rows in row_blocks(G):
            G[rows] -= times(Q[rows], coefficients)
    return G


def orthonormalise(G: Floats, overwrite: bool = False) -> Floats:
    """The Q factor of G = QR whose R has a positive diagonal.

    For Gaussian G this is a uniformly distributed orthonormal frame (Mezzadri 2007). Tall,
    well-conditioned G goes through two Cholesky passes (Yamamoto et al. 2015), else Householder. With `overwrite` G may
    become the result: no second matrix is made.
    """
    Q = G
    R = np.eye(G.shape[1])
    for _ in range(2):
        d, gram = correlation_scale(exact_product(Q))
        L = cholesky(gram)
        if L is None:
            return qr(G)[0]
        R = L.T * d
        inverse = solve_lower(np.ascontiguousarray(R.T), np.eye(len(R))).T
        if Q is G and not (overwrite and plainly_independent(gram)):
            Q = times(G, inverse)
        else:
            for rows in row_blocks(Q):
                Q[rows] = times(Q[rows], inverse)
    # far from the identity the first pass was too rough for the second to repair
    return qr(G)[0] if is_rough(R) else Q


def is_rough(R: Floats) -> bool:
    """Whether the second of two Cholesky passes had more to do than it can."""
    return bool(np.abs(R - np.eye(len(R))).max(initial=0.0) > _ROUGH)


def factor(S: Floats) -> Floats:
    """F with F'F = S and as many rows as S has rank; S is a covariance matrix.

    The rank is decided on the correlation scale: units of the attributes do not matter.
    """
    d, C = correlation_scale(S)
    w, U = eigh(C)
    _refuse_negative(w)
    keep = w > EIGEN_TOLERANCE * len(w) * max(w[-1], 0.0) if len(w) else np.zeros(0, dtype=bool)
    return np.asarray(np.sqrt(w[keep])[:, None] * U[:, keep].T * d)


def symmetric_root(S: Floats) -> Floats:
    """The symmetric B with BB = S, singular S included.

    Not equivariant to units: bring S to comparable scales first.
    """
    w, U = eigh((S + S.T) / 2)
    _refuse_negative(w)
    return times(U * np.sqrt(np.clip(w, 0.0, None)), U.T)


def pseudo_inverse(S: Floats) -> Floats:
    """The inverse of a symmetric matrix on its range; eigenvalues below 1e-10 of the largest count as zero."""
    w, U = eigh((S + S.T) / 2)
    kept = np.abs(w) > _PSEUDO_TOLERANCE * np.abs(w).max(initial=0.0)
    return times(U[:, kept] / w[kept], U[:, kept].T)


def right_inverse(F: Floats) -> Floats:
    """The G with F G = 1 and the columns of G in the span of the rows of F, which are independent."""
    U, s, Vt = svd(F)
    return times(Vt.T / s, U.T)


def correlation_scale(S: Floats) -> tuple[Floats, Floats]:
    """Standard deviations d and the matrix S / dd' (rows and columns of zeros where d is 0)."""
    variances = np.diag(S)
    if S.ndim != 2 or S.shape[0] != S.shape[1]:
        raise BadInput(f"a covariance matrix must be square: it has shape {S.shape}")
    if not (np.isfinite(S).all() and (variances >= 0).all()):
        raise BadInput("a covariance matrix must be finite with a diagonal >= 0: diagonal " + str(variances))
    d = np.sqrt(variances)
    per_d = np.divide(1.0, d, out=np.zeros(len(d)), where=d > 0)
    # one side after the other: the product of two small deviations can underflow
    C = (S + S.T) / 2 * per_d[:, None] * per_d
    if len(d) and S[d == 0].any():
        raise BadInput("the matrix is no covariance matrix: an attribute of variance 0 has covariances")
    return d, C


def column_norms(X: Floats) -> Floats:
    """Lengths of the columns."""
    return np.sqrt([exact_product(X[:, j : j + 1]).item() for j in range(X.shape[1])])


def _spanning_frame(W: Floats) -> Floats:
    """Orthonormal basis of unit columns: the QR frame where they are clearly independent, else by SVD."""
    if W.shape[1] == 0:
        return W
    if plainly_independent(exact_product(W)):
        return orthonormalise(W)
    Q, R = qr(W)
    U, s, _ = svd(R)
    return times(Q, U[:, s > BASIS_TOLERANCE * s[0]])


def plainly_independent(gram: Floats) -> bool:
    """Whether a Gram matrix is far from singular; one Cholesky pass is then orthonormal to many digits."""
    w = eigh(gram)[0]
    return bool(w[0] > _INDEPENDENT * w[-1])


def _refuse_negative(w: Floats) -> None:
    if len(w) and w[0] < -_NEGATIVE_TOLERANCE * max(abs(w[-1]), abs(w[0])) * len(w):
        raise BadInput(
            f"the matrix is no covariance matrix: eigenvalues from {w[0]:.3g} to {w[-1]:.3g}, none may be negative"
        )
