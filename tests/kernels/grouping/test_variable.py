from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.grouping.variable import condensation, vmdav


def _distance(a, b):
    return np.sqrt(((a - b) ** 2).sum())


def plain_vmdav(X, k, gamma):
    """The rule read literally, with full scans."""
    left = list(range(len(X)))
    labels = np.full(len(X), -1)
    away = ((X - X.mean(axis=0)) ** 2).sum(axis=1)
    label = 0
    while len(left) >= k:
        seed = max(left, key=lambda i: (away[i], -i))
        group = sorted(left, key=lambda i: (i != seed, _distance(X[i], X[seed]), i))[:k]
        left = [i for i in left if i not in group]
        while len(group) < 2 * k - 1 and len(left) >= 2:
            inward, near = min((min(_distance(X[i], X[m]) for m in group), i) for i in left)
            outward = min(_distance(X[near], X[i]) for i in left if i != near)
            if not inward < gamma * outward:
                break
            group.append(near)
            left.remove(near)
        labels[group] = label
        label += 1
    grouped = np.flatnonzero(labels >= 0)
    for i in left:
        labels[i] = labels[min(grouped, key=lambda g: (_distance(X[i], X[g]), g))]
    return labels


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(2, 5), st.sampled_from([0.0, 0.2, 1.1, 3.0]))
def test_vmdav_is_the_literal_rule(seed, n, k, gamma):
    X = np.random.default_rng(seed).normal(size=(max(n, k), 2))
    assert vmdav(X, k, gamma).tolist() == plain_vmdav(X, k, gamma).tolist()


def test_vmdav_without_gamma_forms_groups_of_k_before_leftovers():
    sizes = np.bincount(vmdav(np.random.default_rng(1).normal(size=(92, 3)), 4, 0.0))
    assert sorted(sizes) == [4] * 23


@pytest.mark.parametrize("n", [3, 5, 6, 7, 8, 100])
def test_condensation_takes_the_first_record_left_and_its_nearest(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    labels = condensation(X, 3)
    left = np.ones(n, dtype=bool)
    for group in range(n // 3):
        first = int(np.flatnonzero(left)[0])
        away = np.where(left, ((X - X[first]) ** 2).sum(axis=1), np.inf)
        members = np.argsort(away, kind="stable")[:3]
        assert (labels[members] == group).all()
        left[members] = False
    assert np.bincount(labels).min() >= 3


def test_condensation_gives_leftovers_to_the_nearest_centroid():
    X = np.array([[0.0], [10.0], [1.0], [11.0], [4.9]])
    assert condensation(X, 2).tolist() == [0, 1, 0, 1, 0]
