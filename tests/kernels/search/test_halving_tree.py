from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.search.halving_tree import build_tree, farthest, nearest, remove


def _points(seed, n, d, kind):
    draw = np.random.default_rng(seed)
    if kind == "ties":
        return draw.integers(0, 3, size=(n, d)).astype(float)
    return draw.normal(size=(n, d))


def _squares(X, point):
    total = np.zeros(len(X))
    for j in range(X.shape[1]):
        total += (X[:, j] - point[j]) ** 2
    return total


@given(st.integers(0, 10**6), st.integers(1, 150), st.integers(1, 4), st.sampled_from(["normal", "ties"]))
def test_finds_what_a_full_scan_finds_while_records_leave(seed, n, d, kind):
    X = _points(seed, n, d, kind)
    tree = build_tree(X)
    left = np.ones(n, dtype=bool)
    draw = np.random.default_rng(seed)
    distances, rows = np.empty(4), np.empty(4, dtype=np.int64)
    for row in draw.permutation(n)[: n - 1]:
        remove(tree, row)
        left[row] = False
        point = X[row]
        squares = np.where(left, _squares(X, point), np.inf)
        wanted = np.argsort(squares, kind="stable")[: min(4, left.sum())]
        nearest(tree, point, -1, 4, distances, rows)
        assert rows[: len(wanted)].tolist() == wanted.tolist()
        assert np.isinf(distances[len(wanted) :]).all()
        assert farthest(tree, point, -1)[0] == np.argmax(np.where(left, squares, -1.0))
        assert tree.left[0] == left.sum()


def test_a_skipped_row_is_not_found():
    X = np.array([[0.0], [1.0], [5.0]])
    tree = build_tree(X)
    distances, rows = np.empty(1), np.empty(1, dtype=np.int64)
    nearest(tree, X[0], 0, 1, distances, rows)
    assert (rows[0], distances[0]) == (1, 1.0)
    assert farthest(tree, X[0], 2) == (1, 1.0)
    for row in range(3):
        remove(tree, row)
    assert farthest(tree, X[0], -1)[0] == -1


@pytest.mark.parametrize("n", [1, 12, 13, 25, 1000])
def test_boxes_hold_the_records_left(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    tree = build_tree(X)
    for row in range(0, n - 1, 2):
        remove(tree, row)
    there = X[[tree.there[tree.halves.place_of[i]] for i in range(n)]]
    assert (tree.low[0] == there.min(axis=0)).all()
    assert (tree.high[0] == there.max(axis=0)).all()
