from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from microveil.kernels.search.spanning import spanning_tree


def plain_tree(X):
    """Prim with edges in the order of (length, endpoints)."""
    squares = np.zeros((len(X), len(X)))
    for x in X.T:
        squares += (x[:, None] - x) ** 2
    inside, outside, edges = [0], set(range(1, len(X))), []
    while outside:
        length, a, b, new = min((squares[i, j], min(i, j), max(i, j), j) for i in inside for j in outside)
        edges.append((float(length), a, b))
        inside.append(new)
        outside.remove(new)
    return sorted(edges)


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 3), st.booleans())
def test_edges_are_those_of_prim_ties_included(seed, n, d, ties):
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 3, size=(n, d)).astype(float) if ties else draw.normal(size=(n, d))
    tree = spanning_tree(X)
    found = zip(tree.length.tolist(), tree.first.tolist(), tree.second.tolist(), strict=True)
    assert list(found) == plain_tree(X)


def test_total_length_of_a_larger_file():
    X = np.random.default_rng(1).normal(size=(800, 5))
    total = np.sqrt(spanning_tree(X).length).sum()
    assert abs(total - minimum_spanning_tree(squareform(pdist(X))).sum()) < 1e-8
