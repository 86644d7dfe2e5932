from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.grouping.forest import link_forest, mu_approx
from microveil.kernels.grouping.pieces import decompose, split_large


def _points(seed, n, d, kind):
    draw = np.random.default_rng(seed)
    if kind == "equal":
        return np.ones((n, d))
    return draw.integers(0, 3, size=(n, d)).astype(float) if kind == "ties" else draw.normal(size=(n, d))


cases = (
    st.integers(0, 10**6),
    st.integers(2, 200),
    st.integers(1, 3),
    st.integers(2, 8),
    st.sampled_from(["normal", "ties", "equal"]),
)


@given(*cases)
def test_arcs_lead_to_one_of_the_nearest_and_trees_have_k_records(seed, n, d, k, kind):
    X = _points(seed, max(n, k), d, kind)
    parent = link_forest(X, k)
    top = np.arange(len(X))
    for i in range(len(X)):
        while parent[top[i]] >= 0:
            top[i] = parent[top[i]]
    assert np.unique(top, return_counts=True)[1].min() >= k
    for i in np.flatnonzero(parent >= 0):
        away = ((X - X[i]) ** 2).sum(axis=1)
        away[i] = np.inf
        assert parent[i] in np.argsort(away, kind="stable")[: k - 1]


@given(*cases)
def test_size_bounds_of_the_paper(seed, n, d, k, kind):
    X = _points(seed, max(n, k), d, kind)
    pieces = np.bincount(decompose(X, link_forest(X, k), k))
    assert pieces.min() >= k
    assert pieces.max() <= max(2 * k - 1, 3 * k - 5)
    groups = np.bincount(mu_approx(X, k))
    assert groups.min() >= k
    assert groups.max() <= 2 * k - 1


@pytest.mark.parametrize("k", [2, 3, 6])
def test_a_long_path_and_a_star_are_cut(k):
    n = 300
    X = np.arange(float(n))[:, None]
    path = np.arange(-1, n - 1)
    star = np.where(np.arange(n) == 7, -1, 7)
    for parent in (path, star):
        sizes = np.bincount(decompose(X, parent, k))
        assert sizes.min() >= k
        assert sizes.max() <= max(2 * k - 1, 3 * k - 5)


def test_pieces_of_a_path_hang_together():
    parent = np.arange(-1, 99)
    labels = decompose(np.arange(100.0)[:, None], parent, 4)
    assert (np.abs(np.diff(labels)) > 0).sum() == labels.max()


def test_large_groups_are_split_around_the_record_farthest_from_their_centroid():
    X = np.array([[0.0], [1.0], [2.0], [30.0], [8.0], [50.0], [51.0]])
    assert split_large(X, np.array([0, 0, 0, 0, 0, 1, 1]), 2).tolist() == [1, 1, 1, 0, 0, 2, 2]
