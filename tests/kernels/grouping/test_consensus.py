from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.grouping.consensus import intersection, merge_small


def test_blocks_kept_together_by_all():
    first = np.array([5, 5, 5, 2, 2, 2])
    second = np.array([1, 1, 0, 0, 0, 0])
    assert intersection([first, second]).tolist() == [0, 0, 1, 2, 2, 2]
    assert intersection([first]).tolist() == [0, 0, 0, 1, 1, 1]


def test_small_blocks_join_the_nearest():
    X = np.array([[0.0], [0.2], [10.0], [10.2], [1.0], [9.0]])
    labels = np.array([0, 0, 1, 1, 2, 3])
    assert merge_small(X, labels, 2).tolist() == [0, 0, 1, 1, 0, 1]


@given(st.integers(0, 10**6), st.integers(2, 120), st.integers(2, 6), st.integers(1, 60))
def test_merged_blocks_have_k_records_and_are_unions(seed, n, k, blocks):
    draw = np.random.default_rng(seed)
    n = max(n, k)
    X = draw.normal(size=(n, 2))
    labels = intersection([draw.integers(0, blocks, size=n)])
    merged = merge_small(X, labels, k)
    assert np.bincount(merged).min() >= k
    for block in range(labels.max() + 1):
        assert len(set(merged[labels == block])) == 1
    if np.bincount(labels).min() >= k:
        assert (merged == labels).all()
