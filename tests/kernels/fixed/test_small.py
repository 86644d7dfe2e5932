"""Small matrices are decomposed in a fixed order, as exactly as by LAPACK."""

import numpy as np
import pytest

from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import cholesky, complete, eigh, qr, solve, solve_lower, svd


def matrix(m, n, seed=0):
    return np.random.default_rng(seed).normal(size=(m, n))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 30])
def test_eigenvalues_and_vectors(n):
    S = matrix(n, n) @ matrix(n, n).T
    w, V = eigh(S)
    assert np.allclose(V * w @ V.T, S, atol=1e-12 * n)
    assert np.allclose(V.T @ V, np.eye(n), atol=1e-13)
    assert np.allclose(w, np.linalg.eigvalsh(S), atol=1e-12 * n)
    assert all(v[np.abs(v).argmax()] > 0 for v in V.T)


def test_small_eigenvalues_keep_their_digits():
    S = np.diag([1e-12, 1.0, 1e6])
    S[0, 1] = S[1, 0] = 1e-7
    assert eigh(S)[0][0] == pytest.approx(1e-12 - 1e-14, rel=1e-9)


@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (4, 4), (1, 3), (4, 0), (0, 4)])
def test_singular_values(shape):
    A = matrix(*shape)
    U, s, Vt = svd(A)
    assert np.allclose(U * s @ Vt, A, atol=1e-14)
    assert np.allclose(s, np.linalg.svd(A, compute_uv=False))
    assert np.allclose(U.T @ U, np.eye(len(s)), atol=1e-14)
    assert np.allclose(Vt @ Vt.T, np.eye(len(s)), atol=1e-14)


def test_lost_directions_are_filled():
    A = matrix(6, 3)
    A[:, 2] = A[:, 0] + A[:, 1]
    U, s, Vt = svd(A)
    assert s[2] == 0.0
    assert np.allclose(U * s @ Vt, A, atol=1e-14)
    assert np.allclose(U.T @ U, np.eye(3), atol=1e-14)
    assert np.allclose(complete(np.zeros((4, 2)), 0).T @ complete(np.zeros((4, 2)), 0), np.eye(2))


@pytest.mark.parametrize("shape", [(7, 3), (3, 3), (2, 4), (4, 0), (0, 4)])
def test_qr_with_a_diagonal_that_is_not_negative(shape):
    A = matrix(*shape)
    Q, R = qr(A)
    assert np.allclose(Q @ R, A, atol=1e-14)
    assert np.allclose(Q.T @ Q, np.eye(min(shape)), atol=1e-14)
    assert (np.diag(R) >= 0).all()
    assert qr(np.zeros((3, 2)))[1].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_cholesky_and_solutions():
    S = matrix(4, 6) @ matrix(4, 6).T
    L = cholesky(S)
    assert L is not None
    assert np.allclose(L @ L.T, S)
    assert np.allclose(solve_lower(L, S), np.linalg.solve(L, S))
    assert cholesky(np.diag([1.0, -1.0])) is None
    B = matrix(4, 2, seed=1)
    assert np.allclose(solve(matrix(4, 4), B), np.linalg.solve(matrix(4, 4), B))
    assert np.isnan(solve(np.zeros((2, 2)), np.ones((2, 1)))).all()


def test_rows_times_a_matrix_do_not_depend_on_other_rows():
    X, T = matrix(100, 5), matrix(5, 3, seed=1)
    assert np.allclose(times(X, T), X @ T, atol=1e-14)
    assert np.array_equal(times(X, T)[7:8], times(X[7:8], T))
    assert np.array_equal(times(np.asfortranarray(X), T), times(X, T))
