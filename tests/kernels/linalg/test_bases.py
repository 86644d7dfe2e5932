from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.kernels.linalg.bases import (
    factor,
    orthonormal_basis,
    orthonormalise,
    project_off,
    symmetric_root,
)


def gaussian(n: int, p: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, p))


def off_identity(Q: np.ndarray) -> float:
    return float(np.abs(Q.T @ Q - np.eye(Q.shape[1])).max(initial=0.0))


def test_basis_spans_and_finds_the_rank():
    W = gaussian(50, 4)
    W = np.column_stack([np.ones(50), W, W[:, 0] + W[:, 1] * 3, np.zeros(50), np.full(50, 7.0)])
    Q = orthonormal_basis(W)
    assert Q.shape == (50, 5)
    assert off_identity(Q) < 1e-14
    assert np.abs(W - Q @ (Q.T @ W)).max() < 1e-12


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_rank_does_not_depend_on_units(scale):
    W = gaussian(30, 3) * np.array([1.0, scale, 1.0])
    assert orthonormal_basis(W).shape[1] == 3
    assert len(factor(np.cov(W.T))) == 3
    assert len(factor(np.cov(np.column_stack([W, W[:, 1]]).T))) == 3


def test_attributes_far_from_zero_are_not_constants():
    x = gaussian(40, 2) + 2.0**40
    Q = orthonormal_basis(np.column_stack([np.ones(40), x]))
    assert Q.shape[1] == 3
    centred = x - x.mean(axis=0)
    centred -= centred.mean(axis=0)
    assert np.abs(project_off(centred, Q)).max() < 1e-12


def test_basis_without_a_constant_and_of_nothing():
    W = gaussian(20, 2)
    Q = orthonormal_basis(W)
    assert np.abs(project_off(W, Q)).max() < 1e-14
    assert np.abs(project_off(np.ones((20, 1)), Q)).max() > 0.1
    assert orthonormal_basis(np.zeros((5, 2))).shape == (5, 0)


def test_projection_is_orthogonal_to_rounding():
    Q = orthonormal_basis(gaussian(1000, 6))
    G = Q @ gaussian(6, 3) * 1e8 + gaussian(1000, 3, seed=2)
    assert np.abs(Q.T @ project_off(G, Q)).max() < 1e-13
    before = G.copy()
    project_off(G, Q)
    assert np.array_equal(G, before)


@pytest.mark.parametrize("G", [gaussian(500, 6), gaussian(6, 6), gaussian(40, 3) * [1.0, 1e9, 1e-9]])
def test_orthonormalise_is_qr_with_positive_diagonal(G):
    Q = orthonormalise(G)
    R = Q.T @ G
    assert off_identity(Q) < 1e-14
    assert (np.diag(R) > 0).all()
    assert np.abs(Q @ R - G).max() < 1e-12 * np.abs(G).max()
    assert np.abs(np.tril(R, -1) / np.abs(R).max(axis=0)).max() < 1e-9


def test_orthonormalise_of_nearly_dependent_columns():
    a = gaussian(200, 1)
    Q = orthonormalise(np.hstack([a, a + 1e-10 * gaussian(200, 1, seed=2)]))
    assert off_identity(Q) < 1e-13


def test_factor_of_full_and_singular_matrices():
    A = gaussian(5, 5)
    for rank in (1, 3, 5):
        S = A[:rank].T @ A[:rank]
        F = factor(S)
        assert F.shape == (rank, 5)
        assert np.abs(F.T @ F - S).max() < 1e-13
    assert factor(np.zeros((3, 3))).shape == (0, 3)


def test_symmetric_root():
    A = gaussian(2, 4)
    B = symmetric_root(A.T @ A)
    assert np.allclose(B, B.T)
    assert np.abs(B @ B - A.T @ A).max() < 1e-13
    assert np.allclose(symmetric_root(np.diag([4.0, 9.0, 0.0])), np.diag([2.0, 3.0, 0.0]))


@pytest.mark.parametrize(
    ("S", "message"),
    [
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "eigenvalues from -1"),
        (np.array([[1.0, 0.5], [0.5, 0.0]]), "variance 0 has covariances"),
        (np.array([[-1.0]]), "diagonal >= 0"),
        (np.array([[np.nan]]), "must be finite"),
        (np.ones((2, 3)), r"square: it has shape \(2, 3\)"),
    ],
)
def test_what_is_no_covariance_is_refused(S, message):
    with pytest.raises(BadInput, match=message):
        factor(S)
