"""Sums over records are exact until one last rounding, whatever the order and the parts."""

from fractions import Fraction

import numpy as np
import pytest

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.fixed import sums
from microveil.kernels.fixed.sums import CrossSums, ExactMoments, Grid, exact_product, exact_variances


def amounts_of_many_sizes(n=5000, p=4, seed=1):
    draw = np.random.default_rng(seed)
    return draw.normal(size=(n, p)) * 10.0 ** np.arange(-3, p - 3) + 1e6 * draw.normal(size=p)


def exact(X):
    rows = [[Fraction(float(value)) for value in row] for row in X]
    mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return mean, [
        [sum((row[i] - mean[i]) * (row[j] - mean[j]) for row in rows) / len(rows) for j in range(len(mean))]
        for i in range(len(mean))
    ]


def test_moments_are_those_of_exact_arithmetic_rounded_once():
    X = np.ldexp(np.rint(np.random.default_rng(3).normal(size=(60, 3)) * 1e6), -7)
    mean, covariance = exact(X)
    found = ExactMoments.of(X)
    assert found.mean().tolist() == [float(m) for m in mean]
    assert found.covariance().tolist() == [[float(v) for v in row] for row in covariance]
    first, rest = found.mean_and_rest()
    assert [Fraction(a) + Fraction(b) for a, b in zip(first.tolist(), rest.tolist(), strict=True)] == pytest.approx(
        mean
    )


@pytest.mark.parametrize("unit", [1.0, 1e300, 1e-310])
def test_squares_of_one_column_are_those_of_matrices(unit):
    x = np.append(amounts_of_many_sizes(9000, 2)[:, :1], [[0.0], [-3e6]], axis=0) * unit
    beside = Grid(np.append(Grid.of(x).exponents, 1))
    by_products = CrossSums.of(np.column_stack([x, np.ones(len(x))]), left=beside)
    assert (ExactMoments.of(x).sums.totals == by_products.totals).all()


def test_variances_are_the_diagonal_of_the_covariance_in_any_layout():
    X = amounts_of_many_sizes(70_000)  # more cells than are turned at a time
    expected = np.diag(ExactMoments.of(X).covariance())
    assert (exact_variances(X, Grid.of(X)) == expected).all()
    assert (exact_variances(np.asfortranarray(X), Grid.of(X)) == expected).all()


def test_neither_order_nor_parts_matter():
    X = amounts_of_many_sizes(9001)
    whole, grid = ExactMoments.of(X), Grid.of(X)
    assert np.array_equal(ExactMoments.of(X[::-1]).covariance(), whole.covariance())
    joined = ExactMoments.of(X[:10], grid)
    for part in np.split(X[10:], [4000, 4001, 8000]):
        joined = ExactMoments.of(part, grid).merge(joined)
    assert (joined.records, joined.mean().tolist()) == (9001, whole.mean().tolist())
    assert np.array_equal(joined.covariance(), whole.covariance())
    assert np.array_equal(Grid.between(X.min(axis=0), X.max(axis=0)).exponents, grid.exponents)


def test_products_of_two_tables_agree_with_the_usual_ones():
    A, B = amounts_of_many_sizes(4097, 3), amounts_of_many_sizes(4097, 2, seed=2)
    assert np.allclose(exact_product(A, B), A.T @ B, rtol=1e-13)
    assert np.allclose(exact_product(A), A.T @ A, rtol=1e-13)
    assert np.array_equal(exact_product(A, B), exact_product(A[::-1], B[::-1]))


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e150])
def test_any_scale(scale):
    X = amounts_of_many_sizes(500) * scale
    mean = ExactMoments.of(X).mean()
    assert np.allclose(mean / scale, X.mean(axis=0) / scale, rtol=1e-12)


def test_constant_columns_have_no_variance_and_large_shifts_cost_none():
    X = np.column_stack([np.full(100, 0.1), 1e9 + np.arange(100.0)])
    assert ExactMoments.of(X).covariance().tolist() == [[0.0, 0.0], [0.0, 833.25]]


def test_many_blocks_fit():
    n = 4096 * 3 + 5
    assert exact_product(np.ones((n, 1)), np.full((n, 1), 0.5)).item() == n / 2


@pytest.mark.parametrize("records", [0, 1, 7, 8, 9, 4100])
def test_few_columns_are_summed_by_a_loop_to_what_blas_sums_them_to(records, monkeypatch):
    A, B = amounts_of_many_sizes(records), amounts_of_many_sizes(records, 3, seed=2)
    by_loop = [CrossSums.of(A), CrossSums.of(A, B)]
    monkeypatch.setattr(sums, "_FEW", 0)
    assert [one.totals.tolist() for one in by_loop] == [
        CrossSums.of(A).totals.tolist(),
        CrossSums.of(A, B).totals.tolist(),
    ]


def test_the_sums_of_one_column_are_among_those_of_all():
    X = amounts_of_many_sizes()
    grid = Grid.of(X)
    alone = ExactMoments.of(X[:, 2:3], Grid(grid.exponents[2:3]))
    found = ExactMoments.of(X, grid).of_column(2)
    assert found.sums.totals.tolist() == alone.sums.totals.tolist()
    assert found.merge(alone).records == 2 * len(X)


def test_what_is_refused():
    with pytest.raises(BadInput, match="finite values"):
        Grid.of(np.array([[1.0], [np.nan]]))
    with pytest.raises(NotEnoughRecords, match="0 given"):
        ExactMoments.of(np.zeros((0, 2))).mean()
    small, large = CrossSums.of(np.ones((2, 1))), CrossSums.of(np.full((2, 1), 100.0))
    with pytest.raises(BadInput, match="only on one grid"):
        small.merge(large)
