from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.grouping.cuts import consecutive
from microveil.kernels.grouping.orders import centroid_based, maximum_distance, mdav_order, nearest_point_next
from microveil.kernels.mdav.engine import mdav


def _points(seed, n, d, ties):
    draw = np.random.default_rng(seed)
    return draw.integers(0, 4, size=(n, d)).astype(float) if ties else draw.normal(size=(n, d))


def _squares(X, point):
    total = np.zeros(len(X))
    for j in range(X.shape[1]):
        total += (X[:, j] - point[j]) ** 2
    return total


def _take(X, left, seed, size, spare=None):
    others = [i for i in left if i not in (seed, spare)]
    away = _squares(X, X[seed])
    members = [seed, *sorted(others, key=lambda i: (away[i], i))[: size - 1]]
    for i in members:
        left.remove(i)
    return members


def _most_distant(X, left):
    return min(((i, j) for i in left for j in left if i < j), key=lambda p: (-_squares(X[[p[0]]], X[p[1]])[0], p))


def plain_maximum_distance(X, k):
    left, order = list(range(len(X))), []
    while len(left) >= 2 * k:
        r, s = _most_distant(X, left)
        pair = len(left) >= 3 * k
        order += _take(X, left, r, k, s)
        if pair:
            order += _take(X, left, s, k)
    r, _ = _most_distant(X, left)
    return order + _take(X, left, r, len(left))


def plain_nearest_point_next(X):
    left = list(range(len(X)))
    order = [int(np.argmax(_squares(X, X.mean(axis=0))))]
    while True:
        left.remove(order[-1])
        if not left:
            return order
        away = _squares(X, X[order[-1]])
        order.append(min(left, key=lambda i: (away[i], i)))


@given(st.integers(0, 10**6), st.integers(4, 40), st.integers(1, 3), st.integers(2, 4), st.booleans())
def test_maximum_distance_is_that_of_all_pairs(seed, n, d, k, ties):
    X = _points(seed, max(n, k), d, ties)
    assert maximum_distance(X, k).tolist() == plain_maximum_distance(X, k)


@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 3))
def test_nearest_point_next_is_that_of_full_scans(seed, n, d):
    X = _points(seed, n, d, ties=False)
    assert nearest_point_next(X).tolist() == plain_nearest_point_next(X)


def test_centroid_based_by_hand():
    # the mean is 4.4, 12 is farthest; then the mean of 0, 1, 3, 4 is 2 and 0 is the first of the farthest
    X = np.array([[0.0], [1.0], [12.0], [10.0], [3.0], [4.0]])
    assert centroid_based(X, 2).tolist() == [2, 3, 0, 1, 4, 5]


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n", [7, 20, 21, 22, 23, 500])
def test_groups_along_the_path_of_mdav_are_its_groups(n, k):
    X = np.random.default_rng(n).normal(size=(n, 3))
    labels = mdav(X, k)
    order = mdav_order(X, k, labels)
    assert sorted(order) == list(range(n))
    along = np.empty(n, dtype=int)
    along[order] = consecutive(n, k)
    assert (along == labels).all()


def test_a_group_runs_from_its_seed_outwards():
    X = np.array([[0.0], [5.0], [1.0], [4.5], [0.4], [9.0]])
    order = mdav_order(X, 3, mdav(X, 3))
    # 9 is farthest from the mean 3.3; what is left starts at 0, the farthest from its own mean 0.47
    assert X[order, 0].tolist() == [9.0, 5.0, 4.5, 1.0, 0.4, 0.0]
