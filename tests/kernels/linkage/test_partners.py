"""Ties with the true partner, against all distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.linkage.cells import nominal_steps
from microveil.kernels.linkage.partners import tied_with_partner


def all_distances(queries, points, partner, counts, nominal, manhattan):
    d = np.abs(queries[:, None, :] - points[None])
    d[..., nominal] = d[..., nominal] > 0
    if not manhattan:
        d[..., ~nominal] **= 2
    d = d.sum(axis=2)
    own = d[np.arange(len(queries)), partner][:, None]
    nearer = (d < own * (1 - 1e-9) - 1e-22).any(axis=1)
    ties = ((d <= own * (1 + 1e-9) + 1e-22) * counts).sum(axis=1)
    return np.where(nearer, 0, ties)


@given(st.integers(1, 120), st.integers(1, 4), st.booleans(), st.integers(0, 10**6))
def test_equals_all_distances_on_a_grid_full_of_ties(n, d, manhattan, seed):
    rng = np.random.default_rng(seed)
    points = np.unique(rng.integers(0, 4, (n, d)).astype(float), axis=0)
    queries = rng.integers(0, 4, (n, d)).astype(float)
    partner = rng.integers(0, len(points), n)
    counts = rng.integers(1, 5, len(points))
    nominal = rng.random(d) < 0.3
    expected = all_distances(queries, points, partner, counts, nominal, manhattan)
    assert (tied_with_partner(queries, points, partner, counts, nominal_steps(nominal), manhattan) == expected).all()


@pytest.mark.parametrize("noise", [0.05, 0.5])
def test_equals_all_distances_on_continuous_data(noise):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((900, 5))
    Y = X + noise * rng.standard_normal(X.shape)
    args = (X, Y, np.arange(900), np.ones(900, dtype=np.int64), np.zeros(5, dtype=bool), False)
    found = tied_with_partner(*args[:4], nominal_steps(args[4]))
    assert (found == all_distances(*args)).all()


def test_several_threads_give_what_one_gives():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((20_000, 2))
    Y = X + 0.01 * rng.standard_normal(X.shape)
    ones, steps = np.ones(len(X), dtype=np.int64), np.zeros((2, 2))
    whole = tied_with_partner(X, Y, np.arange(len(X)), ones, steps)
    some = rng.choice(len(X), 500, replace=False)
    assert (whole[some] == tied_with_partner(X[some], Y, some, ones, steps)).all()


def test_distances_equal_up_to_rounding_tie():
    points = np.array([[0.1 + 0.2], [0.3 + 0.6]])
    ties = tied_with_partner(np.array([[0.6]]), points, np.array([0]), np.array([1, 1]), np.zeros((1, 2)))
    assert ties[0] == 2


def test_steps_grade_the_difference_of_codes():
    points = np.array([[0.0], [2.0], [5.0]])
    steps = np.array([[0.0, 1.0, 1.0, 3.0]])
    # differences 1, 1, 4 from code 1 cost 1, 1, 3
    found = tied_with_partner(np.ones((3, 1)), points, np.arange(3), np.ones(3, dtype=np.int64), steps)
    assert found.tolist() == [2, 2, 0]


@pytest.mark.parametrize("scale", [1.0, 1e-7])
@pytest.mark.parametrize("noise", [0.0, 0.2, 2.0])
def test_many_columns_are_swept_through_with_the_same_answer(noise, scale):
    # far from the origin and with repeated cells: many distances are equal up to rounding
    rng = np.random.default_rng(3)
    X = 5.0 + scale * np.round(rng.standard_normal((1100, 25)), 1)
    Y = np.unique(X + noise * scale * np.round(rng.standard_normal(X.shape), 1), axis=0)
    X = X[:400]
    partner, counts = rng.integers(0, len(Y), len(X)), rng.integers(1, 4, len(Y))
    partner[:200] = ((X[:200, None, :] - Y[None]) ** 2).sum(axis=2).argmin(axis=1)
    columns = np.zeros(25, dtype=bool)
    found = tied_with_partner(X, Y, partner, counts, nominal_steps(columns))
    assert (found == all_distances(X, Y, partner, counts, columns, False)).all()
    assert (found[:200] > 0).all()
