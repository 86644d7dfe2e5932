from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.grouping.cuts import consecutive, optimal_cuts, tie_boundaries


def _within(X, labels):
    return sum(((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels))


def _all_cuts(n, k, allowed):
    """Every consecutive partition into groups of at least k that begins only where allowed."""
    if n == 0:
        yield ()
    for size in range(k, n + 1):
        if n - size == 0 or (n - size >= k and allowed[n - size]):
            for rest in _all_cuts(n - size, k, allowed):
                yield (*rest, size)


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(2, 4), st.integers(1, 2), st.booleans())
def test_no_consecutive_partition_is_better(seed, n, k, d, keep_ties):
    n = max(n, k)
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 6, size=(n, d)).astype(float) if keep_ties else draw.normal(size=(n, d))
    X = X[np.argsort(X[:, 0], kind="stable")]
    allowed = tie_boundaries(X[:, 0]) if keep_ties else np.ones(n, dtype=bool)
    labels = optimal_cuts(X, k, allowed)
    sizes = np.bincount(labels)
    assert (np.diff(labels) >= 0).all()
    assert sizes.min() >= k
    assert allowed[np.flatnonzero(np.diff(labels)) + 1].all()
    best = min(_within(X, np.repeat(np.arange(len(cuts)), cuts)) for cuts in _all_cuts(n, k, allowed))
    assert _within(X, labels) == pytest.approx(best, abs=1e-9)


def test_sizes_stay_below_2k_where_every_cut_is_allowed():
    x = np.sort(np.random.default_rng(1).lognormal(size=2000))[:, None]
    sizes = np.bincount(optimal_cuts(x, 7, np.ones(2000, dtype=bool)))
    assert sizes.min() >= 7
    assert sizes.max() <= 13


def test_digits_survive_values_far_from_zero():
    x = np.array([0.0, 1, 2, 10, 11, 12, 20, 21])[:, None]
    everywhere = np.ones(8, dtype=bool)
    assert (optimal_cuts(x + 1e12, 2, everywhere) == optimal_cuts(x, 2, everywhere)).all()


def test_consecutive_groups():
    assert consecutive(7, 3).tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert consecutive(3, 3).tolist() == [0, 0, 0]


def test_boundaries_of_ties():
    assert tie_boundaries(np.array([1.0, 1, 2, 3, 3])).tolist() == [True, False, True, True, False]
