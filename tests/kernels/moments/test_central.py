from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.moments import central as moments
from microveil.kernels.moments.central import (
    constant_columns,
    mean_and_covariance,
    pair_moments,
    standard_deviations,
)


def whole_numbers(n: int = 400, p: int = 4) -> np.ndarray:
    """Skewed whole numbers: sums of their powers are exact, so nothing hides behind rounding."""
    generator = np.random.default_rng(7)
    X = generator.integers(0, 60, (n, p)) ** 2 // 7
    X[:, 1] += X[:, 0]
    return X.astype(np.float64)


def plain_moment(X: np.ndarray, i: int, j: int, a: int, b: int) -> float:
    """Reference in extended precision; differences of numbers far from zero are exact."""
    C = X.astype(np.longdouble)
    C = C - C[0]
    C = C - C.mean(axis=0)
    return float((C[:, i] ** a * C[:, j] ** b).mean())


def test_by_hand():
    mean, covariance = mean_and_covariance(np.array([[0.0, 2.0], [2.0, 0.0], [4.0, 4.0]]))
    assert mean.tolist() == [2.0, 2.0]
    assert np.allclose(covariance, [[8 / 3, 4 / 3], [4 / 3, 8 / 3]])


def test_equals_numpy_cov_with_divisor_n():
    X = whole_numbers()
    mean, covariance = mean_and_covariance(X)
    assert np.allclose(mean, X.mean(axis=0))
    assert np.allclose(covariance, np.cov(X.T, bias=True), rtol=1e-12)
    assert np.allclose(standard_deviations(X), X.std(axis=0, ddof=1), rtol=1e-13)


def test_weights_count_records_repeatedly():
    X = whole_numbers(50)
    times = np.arange(50) % 4
    repeated = mean_and_covariance(np.repeat(X, times, axis=0))
    weighted = mean_and_covariance(X, weights=times * 2.5)
    assert np.allclose(repeated[0], weighted[0], rtol=1e-13)
    assert np.allclose(repeated[1], weighted[1], rtol=1e-12)
    ones = mean_and_covariance(X, weights=np.ones(50))
    plain = mean_and_covariance(X)
    assert np.allclose(ones[1], plain[1], rtol=1e-14)


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (1e9, 1e12), (1.0, 2.0**40), (1e-9, 0.0)])
def test_pair_moments_survive_scale_and_shift(scale, shift):
    X = whole_numbers() * scale + shift
    found = pair_moments(X)
    sd = [plain_moment(X, j, j, 2, 0) ** 0.5 for j in range(4)]
    for a, b in [(2, 0), (0, 2), (1, 1), (2, 2), (3, 1), (1, 3), (4, 0), (0, 4)]:
        for i in range(4):
            for j in range(4):
                expected = plain_moment(X, i, j, a, b)
                assert abs(getattr(found, f"mu{a}{b}")[i, j] - expected) <= 1e-12 * sd[i] ** a * sd[j] ** b
    mean, covariance = mean_and_covariance(X)
    assert np.allclose(mean, found.mean, rtol=1e-15)
    size = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert np.abs((covariance - found.mu11) / size).max() <= 1e-12


def test_scaling_and_shifting_equivariance_is_tight():
    # shift and scale are powers of two, so the moved data are exact and so must be the moments
    X = whole_numbers()
    plain, moved = pair_moments(X), pair_moments(X * 2.0**10 + 2.0**40)
    assert np.allclose(moved.mu22, plain.mu22 * 2.0**40, rtol=1e-12)
    assert np.allclose(standard_deviations(X + 2.0**40), standard_deviations(X), rtol=1e-13)


def test_normal_moments_have_their_closed_form():
    # Gauss-Hermite nodes carry the moments of the normal distribution exactly
    nodes, weights = np.polynomial.hermite_e.hermegauss(6)
    times = np.round(weights / weights.sum() * 1e6).astype(int)
    x = np.repeat(nodes, times)
    found = pair_moments(np.column_stack([x, 2 * x]))
    assert found.mu40[0, 0] == pytest.approx(3.0, rel=1e-4)
    assert found.mu22[0, 1] == pytest.approx(4 * 3.0, rel=1e-4)
    assert found.mu31[1, 0] == pytest.approx(8 * 3.0, rel=1e-4)


def test_blocks_give_the_same(monkeypatch):
    X = whole_numbers()
    whole = pair_moments(X), mean_and_covariance(X), standard_deviations(X)
    monkeypatch.setattr(moments, "_CELLS_PER_BLOCK", 28)
    parts = pair_moments(X), mean_and_covariance(X), standard_deviations(X)
    for a, b in zip((*whole[0], *whole[1], whole[2]), (*parts[0], *parts[1], parts[2]), strict=True):
        assert np.allclose(a, b, rtol=1e-12)


def test_a_record_far_off_without_weight_costs_no_precision():
    X = whole_numbers()
    expected = mean_and_covariance(X[1:])
    # everything else lies a billion deviations away
    X[0] = 1e12
    weights = np.ones(len(X))
    weights[0] = 0.0
    mean, covariance = mean_and_covariance(X, weights)
    assert np.allclose(mean, expected[0], rtol=1e-14)
    assert np.allclose(covariance, expected[1], rtol=1e-12)


@pytest.mark.parametrize("place", [0, 2000, 3999])
def test_an_outlier_costs_no_precision_wherever_it_stands(place):
    X = whole_numbers(4000)
    X[place] = 1e6
    expected = [plain_moment(X, j, j, 2, 0) for j in range(4)]
    assert np.allclose(np.diag(mean_and_covariance(X)[1]), expected, rtol=1e-14)


def test_pair_moments_of_columns_times_powers_of_two_are_exact():
    X = np.random.default_rng(3).lognormal(sigma=4.0, size=(500, 2))  # one record far off from most
    factors = np.array([2.0**-70, 2.0**90])
    plain, scaled = pair_moments(X), pair_moments(X * factors)
    assert np.array_equal(scaled.mu11, plain.mu11 * np.outer(factors, factors))
    assert np.array_equal(scaled.mu31, plain.mu31 * np.outer(factors**3, factors))
    np.testing.assert_allclose(np.diag(plain.mu40), np.mean((X - X.mean(axis=0)) ** 4, axis=0), rtol=1e-12)


def test_pair_moments_need_a_record():
    with pytest.raises(NotEnoughRecords, match="at least 1 record: 0 given"):
        pair_moments(np.empty((0, 2)))


def test_both_memory_layouts_give_the_same():
    X = np.column_stack([whole_numbers(5000), np.full(5000, 0.1)])
    by_rows, by_columns = mean_and_covariance(X), mean_and_covariance(np.asfortranarray(X))
    assert np.allclose(by_rows[0], by_columns[0], rtol=1e-14, atol=0)
    assert np.allclose(by_rows[1], by_columns[1], rtol=1e-13, atol=1e-13 * by_rows[1].max())
    assert by_columns[0][4] == 0.1
    assert not by_columns[1][4].any()


@pytest.mark.parametrize("value", [0.1, 0.0, -1e12 / 3, 1e-300])
def test_constant_columns_have_variance_exactly_zero(value):
    X = np.column_stack([np.full(1001, value), np.arange(1001.0)])
    assert constant_columns(X).tolist() == [True, False]
    mean, covariance = mean_and_covariance(X)
    assert mean[0] == value
    assert not covariance[0].any()
    assert standard_deviations(X)[0] == 0.0
    found = pair_moments(X)
    assert found.mean[0] == value
    assert found.mu20[0, 1] == found.mu40[0, 1] == found.mu22[0, 1] == found.mu11[0, 1] == 0.0


def test_one_different_record_is_not_constant():
    x = np.full((100_000, 1), 1e12)
    x[5] += 1.0
    assert not constant_columns(x)[0]
    assert standard_deviations(x, ddof=0)[0] == pytest.approx(np.sqrt(1e-5 * (1 - 1e-5)), rel=1e-9)


def test_errors_say_what_is_wrong():
    X = whole_numbers(5)
    with pytest.raises(NotEnoughRecords, match="needs more than 1 records: 1 given"):
        standard_deviations(X[:1])
    with pytest.raises(NotEnoughRecords, match="at least 1 record: 0 given"):
        mean_and_covariance(X[:0])
    with pytest.raises(BadInput, match="each of the 5 records"):
        mean_and_covariance(X, np.ones(4))
    with pytest.raises(BadInput, match="weights >= 0, not all 0"):
        mean_and_covariance(X, np.array([1.0, 1, 1, 1, -1]))
