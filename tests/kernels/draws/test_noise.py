from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.draws.noise import exact_noise
from tests.streams import streams_of


def columns(n: int, q: int, seed: int = 1) -> np.ndarray:
    return np.column_stack([np.ones(n), np.random.default_rng(seed).exponential(size=(n, q - 1))])


def check(W: np.ndarray, Sigma: np.ndarray, E: np.ndarray, tolerance: float = 1e-10) -> None:
    """W'E = 0 and E'E/n = Sigma, each attribute in units of its standard deviation."""
    n = len(W)
    d = np.sqrt(np.diag(Sigma))
    d[d == 0] = 1.0
    centred = np.column_stack([W[:, :1], W[:, 1:] - W[:, 1:].mean(axis=0)])
    unit = np.sqrt((centred**2).mean(axis=0))
    unit[unit == 0] = 1.0
    assert np.abs((centred / unit).T @ (E / d)).max() / n <= tolerance
    assert np.abs((E.T @ E / n - Sigma) / np.outer(d, d)).max() <= tolerance


@pytest.mark.parametrize("rank", [1, 2, 4])
@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("extra", [0, 1, 500])
def test_exact_for_full_and_singular_covariance(rank, q, extra):
    A = np.random.default_rng(rank).normal(size=(rank, 4))
    W = columns(q + rank + extra, q)
    E = exact_noise(W, A.T @ A, streams_of(2))
    check(W, A.T @ A, E)
    assert np.abs(W.T @ E).max() <= 1e-10


def test_full_precision_at_the_smallest_number_of_records():
    for _ in range(300):
        W = columns(6, 3)
        check(W, np.eye(3), exact_noise(W, np.eye(3), streams_of(4)), tolerance=1e-14)


def test_one_record_too_few():
    with pytest.raises(NotEnoughRecords, match=r"at least 5 records \(3 .* \+ rank 2 of the covariance\): 4 given"):
        exact_noise(columns(4, 3), np.eye(2), streams_of(1))


def test_collinear_columns_of_W_cost_no_records():
    W = columns(5, 2)
    W = np.column_stack([W, W[:, 1] * 3 + 1])
    E = exact_noise(W, np.eye(3), streams_of(1))
    check(W, np.eye(3), E)


def test_wildly_different_scales():
    d = 10.0 ** np.array([-9, 0, 9])
    C = np.array([[1, 0.9, 0.5], [0.9, 1, 0.3], [0.5, 0.3, 1]])
    W = columns(200, 4) * [1, 1e-9, 1, 1e9] + [0, 0, 1e12, 1e12]
    Sigma = C * np.outer(d, d)
    check(W, Sigma, exact_noise(W, Sigma, streams_of(1)))


def test_attribute_without_noise_and_no_noise_at_all():
    Sigma = np.diag([2.0, 0.0])
    E = exact_noise(columns(10, 2), Sigma, streams_of(1))
    check(columns(10, 2), Sigma, E)
    assert not E[:, 1].any()
    assert not exact_noise(columns(10, 2), np.zeros((2, 2)), streams_of(1)).any()


def test_indicators_span_the_constant():
    W = np.repeat(np.eye(3), 4, axis=0)
    E = exact_noise(W, np.eye(2), streams_of(1))
    assert np.abs(W.T @ E).max() < 1e-13


def test_W_without_the_constant_is_refused():
    with pytest.raises(BadInput, match="add a column of ones"):
        exact_noise(columns(10, 3)[:, 1:], np.eye(2), streams_of(1))


def test_same_key_same_noise_other_key_other_noise():
    W = columns(30, 2)
    first, again, other = (exact_noise(W, np.eye(2), streams_of(s)) for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert np.abs(first - other).max() > 0.1


@pytest.mark.long
def test_noise_is_uniform_on_the_admissible_directions():
    # n = 3 records, mean 0: the noise of one attribute is a random point on a circle
    angles = []
    for number in range(2000):
        e = exact_noise(np.ones((3, 1)), np.eye(1), streams_of(8).at(number))[:, 0]
        angles.append(np.arctan2((e[0] + e[1] - 2 * e[2]) / np.sqrt(6), (e[0] - e[1]) / np.sqrt(2)))
    for k in (1, 2):
        assert abs(np.exp(1j * k * np.array(angles)).mean()) < 4 / np.sqrt(2000)
