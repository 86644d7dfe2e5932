from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.grouping.branches import CENTROID, DIAMETER, NONE, mst_groups
from microveil.kernels.search.spanning import spanning_tree


def plain_components(X, k):
    """Edges from long to short, removed where both sides have at least k records."""
    tree = spanning_tree(X)
    edges = list(zip(tree.first.tolist(), tree.second.tolist(), strict=True))

    def side(start, kept):
        seen, stack = {start}, [start]
        while stack:
            u = stack.pop()
            for a, b in kept:
                for here, there in ((a, b), (b, a)):
                    if here == u and there not in seen:
                        seen.add(there)
                        stack.append(there)
        return seen

    kept = list(edges)
    for edge in reversed(edges):
        without = [e for e in kept if e != edge]
        if min(len(side(edge[0], without)), len(side(edge[1], without))) >= k:
            kept = without
    labels, groups = np.full(len(X), -1), 0
    for i in range(len(X)):
        if labels[i] < 0:
            labels[list(side(i, kept))] = groups
            groups += 1
    return labels


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(2, 4), st.booleans())
def test_components_are_those_of_full_scans(seed, n, k, ties):
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 4, size=(max(n, k), 2)).astype(float) if ties else draw.normal(size=(max(n, k), 2))
    assert mst_groups(X, k, NONE).tolist() == plain_components(X, k).tolist()


@pytest.mark.parametrize("refinement", [NONE, DIAMETER, CENTROID])
def test_no_group_crosses_separated_clusters(refinement):
    draw = np.random.default_rng(1)
    cluster = np.repeat(np.arange(12), 15)
    X = draw.uniform(size=(180, 2)) + 20.0 * np.column_stack([cluster % 4, cluster // 4])
    labels = mst_groups(X, 4, refinement)
    for g in range(labels.max() + 1):
        assert len(set(cluster[labels == g])) == 1
    sizes = np.bincount(labels)
    assert sizes.min() >= 4
    assert refinement == NONE or sizes.max() <= 7
