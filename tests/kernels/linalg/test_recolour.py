from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.linalg.recolour import recolour
from microveil.kernels.moments.central import mean_and_covariance
from tests.reference import shared_file
from tests.streams import streams_of

MODES = ["sym", "procrustes", "chol"]


def gaussian(n: int, p: int, seed: int = 1) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.standard_normal((n, p)) @ generator.standard_normal((p, p))


def covariance_of_rank(rank: int, p: int, seed: int = 5) -> np.ndarray:
    A = np.random.default_rng(seed).standard_normal((rank, p))
    return A.T @ A


def check(Z: np.ndarray, mean: np.ndarray, V: np.ndarray, tolerance: float = 1e-9) -> None:
    """Mean and covariance in units of the target's standard deviations."""
    d = np.sqrt(np.diag(V))
    found_mean, found = mean_and_covariance(Z)
    size = np.where(d > 0, np.outer(d, d).diagonal() ** 0.5, 1.0)
    assert np.abs((found_mean - mean) / size).max() <= tolerance
    assert np.abs((found - V) / np.outer(size, size)).max() <= tolerance


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("n", "p"), [(9, 8), (10, 2), (1000, 8), (3, 1)])
def test_moments_are_exact(mode, n, p):
    mean, V = np.arange(p) * 1.0, covariance_of_rank(p, p)
    check(recolour(gaussian(n, p), mean, V, mode, streams_of(1)), mean, V)


@pytest.mark.parametrize("mode", MODES)
def test_singular_target(mode):
    mean, V = np.zeros(4), covariance_of_rank(2, 4)
    check(recolour(gaussian(50, 4), mean, V, mode), mean, V)


def test_identity_when_moments_match():
    Y = gaussian(200, 3)
    mean, V = mean_and_covariance(Y)
    for mode in MODES:
        assert np.abs(recolour(Y, mean, V, mode) - Y).max() < 1e-12


def test_sym_is_the_nearest_table():
    for seed in range(100):
        Y, V = gaussian(30, 3, seed), covariance_of_rank(3, 3, seed)
        unit = np.sqrt(np.diag(V))
        sym, chol = (recolour(Y, np.zeros(3), V, mode) for mode in ("sym", "chol"))
        assert np.linalg.norm((sym - Y) / unit) <= np.linalg.norm((chol - Y) / unit) * (1 + 1e-12)


def test_sym_and_procrustes_agree_and_equal_the_closed_form():
    Y, V = gaussian(80, 3), covariance_of_rank(3, 3)
    d = np.sqrt(np.diag(V))

    def root(S: np.ndarray, power: float) -> np.ndarray:
        w, U = np.linalg.eigh(S)
        return (U * w**power) @ U.T

    _, A = mean_and_covariance(Y / d)
    C = V / np.outer(d, d)
    T = root(A, -0.5) @ root(root(A, 0.5) @ C @ root(A, 0.5), 0.5) @ root(A, -0.5)
    expected = ((Y - Y.mean(axis=0)) / d) @ T * d
    for mode in ("sym", "procrustes"):
        assert np.abs(recolour(Y, np.zeros(3), V, mode) - expected).max() < 1e-10


def test_chol_equals_the_closed_form():
    Y, V = gaussian(80, 3), covariance_of_rank(3, 3)
    _, A = mean_and_covariance(Y)
    expected = (Y - Y.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(A).T) @ np.linalg.cholesky(V).T
    assert np.abs(recolour(Y, np.zeros(3), V, "chol") - expected).max() < 1e-10


@pytest.mark.parametrize("mode", ["sym", "procrustes"])
def test_lost_directions_are_refilled(mode):
    Y = gaussian(40, 4)
    Y[:, 3] = Y[:, 0] - Y[:, 1]
    Y[:, 2] = 5.0
    mean, V = np.array([1.0, 2.0, 3.0, 4.0]), covariance_of_rank(4, 4)
    check(recolour(Y, mean, V, mode, streams_of(1)), mean, V)
    with pytest.raises(BadInput, match=r"span 2 of the 4 dimensions .* give streams"):
        recolour(Y, mean, V, mode)


def test_refill_is_random_and_leaves_what_is_there():
    Y = gaussian(60, 2)
    Y[:, 1] = 0.0
    first, again, other = (recolour(Y, np.zeros(2), np.eye(2), "sym", streams_of(s)) for s in (1, 1, 2))
    assert np.array_equal(first, again)
    centred = Y[:, 0] - Y[:, 0].mean()
    for Z in (first, other):
        assert np.allclose(Z[:, 0], centred / centred.std())
    assert abs(np.corrcoef(first[:, 1], other[:, 1])[0, 1]) < 0.5


def test_singular_data_and_singular_target_need_no_streams_where_they_fit():
    Y = gaussian(40, 3)
    Y[:, 2] = Y[:, 0] + Y[:, 1]
    T = gaussian(3, 2, seed=4)
    V = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]) @ (T.T @ T) @ np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    check(recolour(Y, np.zeros(3), V), np.zeros(3), V)


def test_nearly_lost_direction_stays_exact():
    Y = gaussian(100, 2)
    Y[:, 1] = Y[:, 0] + 1e-8 * Y[:, 1]
    V = np.eye(2)
    for mode in ("sym", "procrustes"):
        check(recolour(Y, np.zeros(2), V, mode, streams_of(1)), np.zeros(2), V)


@pytest.mark.parametrize("part", [1e-2, 1e-4, 1e-5])
def test_short_directions_are_stretched_without_loss_of_precision(part):
    Y = gaussian(5000, 6)
    Y[:, 1] = Y[:, 0] + part * Y[:, 1]
    V = covariance_of_rank(6, 6)
    check(recolour(Y, np.zeros(6), V), np.zeros(6), V, tolerance=1e-11)


@pytest.mark.parametrize("mode", ["sym", "procrustes"])
def test_a_short_direction_of_the_target_is_found_in_the_data(mode):
    X = gaussian(400, 3)
    X[:, 2] = X[:, 0] + 5e-5 * X[:, 2]
    mean, V = mean_and_covariance(X)
    Y = X + 0.01 * gaussian(400, 3, seed=3) * X.std(axis=0)
    for data in (X, Y):
        check(recolour(data, mean, V, mode), mean, V)
    assert np.abs(recolour(X, mean, V, mode) - X).max() < 1e-6


@pytest.mark.parametrize("mode", ["sym", "procrustes"])
def test_the_layout_of_memory_is_kept_and_changes_nothing(mode):
    Y, V = gaussian(3000, 4), covariance_of_rank(4, 4)
    by_rows, by_columns = recolour(Y, np.ones(4), V, mode), recolour(np.asfortranarray(Y), np.ones(4), V, mode)
    assert by_columns.flags.f_contiguous
    assert np.allclose(by_rows, by_columns, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_scaled_and_shifted_values(mode):
    X = gaussian(500, 4)
    Y = X + 0.3 * gaussian(500, 4, seed=9)
    scale, shift = np.array([1e9, 1.0, 1e-9, 1e9]), np.array([1e12, 0.0, 0.0, 1e12])
    mean, V = mean_and_covariance(X)
    plain = recolour(Y, mean, V, mode)
    moved = recolour(Y * scale + shift, mean * scale + shift, V * np.outer(scale, scale), mode)
    check(moved, mean * scale + shift, V * np.outer(scale, scale))
    assert np.abs((moved - shift) / scale - plain).max() < 1e-8


@pytest.mark.parametrize("mode", MODES)
def test_constant_target_attribute(mode):
    Y = gaussian(30, 3)
    V = covariance_of_rank(2, 2)
    V = np.block([[V, np.zeros((2, 1))], [np.zeros((1, 3))]])
    for last in (Y[:, 2] * 1e12, np.full(30, 0.1)):
        Z = recolour(np.column_stack([Y[:, :2], last]), np.array([0.0, 1.0, 0.1]), V, mode)
        assert (Z[:, 2] == 0.1).all()
        check(Z, np.array([0.0, 1.0, 0.1]), V)
    assert (recolour(Y, np.ones(3), np.zeros((3, 3)), mode) == 1.0).all()


@pytest.mark.parametrize("mode", ["sym", "procrustes"])
def test_reference_file_with_an_exact_sum_and_heavy_ties(mode):
    X = np.loadtxt(shared_file("data", "census.csv"), delimiter=",", skiprows=1)
    mean, V = mean_and_covariance(X)
    generator = np.random.default_rng(1)
    noisy = X + generator.standard_normal(X.shape) * X.std(axis=0)
    check(recolour(noisy, mean, V, mode), mean, V)
    mostly_zero = np.where(generator.random(X.shape) < 0.9, 0.0, X)
    check(recolour(mostly_zero, mean, V, mode), mean, V)


def test_errors_say_what_is_wrong():
    Y = gaussian(5, 5)
    with pytest.raises(NotEnoughRecords, match="rank 5 needs at least 6 records: 5 given"):
        recolour(Y, np.zeros(5), np.eye(5))
    with pytest.raises(BadInput, match="mode='svd' is not one of"):
        recolour(Y[:, :2], np.zeros(2), np.eye(2), "svd")
    Y[:, 1] = Y[:, 0]
    with pytest.raises(BadInput, match="1 of 2 are; use mode 'sym' or 'procrustes'"):
        recolour(Y[:, :2], np.zeros(2), np.eye(2), "chol")


def test_input_is_untouched():
    Y, V = gaussian(20, 3), covariance_of_rank(3, 3)
    before = Y.copy(), V.copy()
    for mode in MODES:
        recolour(Y, np.zeros(3), V, mode)
    assert np.array_equal(Y, before[0])
    assert np.array_equal(V, before[1])
