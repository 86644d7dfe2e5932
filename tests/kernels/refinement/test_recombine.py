"""Recombination: the best mixture of partitions, never worse than the one it starts from."""

from __future__ import annotations

import time

import numpy as np
import pytest

from microveil.kernels.refinement.recombine import GroupPool, group_costs, recombine
from tests.kernels.refinement.test_descent import any_partition, sse


def test_group_costs_add_up_to_the_sse():
    X = np.random.default_rng(0).standard_normal((60, 3))
    labels = any_partition(60, 4, 1)
    assert group_costs(X, labels).sum() == pytest.approx(sse(X, labels), rel=1e-12)


def test_a_pool_keeps_each_group_once():
    X = np.random.default_rng(0).standard_normal((6, 2))
    pool = GroupPool(X)
    pool.add(np.array([0, 0, 0, 1, 1, 1]))
    pool.add(np.array([1, 1, 1, 0, 0, 0]))
    pool.add(np.array([0, 1, 0, 1, 0, 1]))
    records, starts, costs = pool.columns()
    assert starts.tolist() == [0, 3, 6, 9, 12]
    assert records[:6].tolist() == [0, 1, 2, 3, 4, 5]
    assert costs[0] == pytest.approx(sse(X[:3], np.zeros(3)))


def test_each_region_takes_the_better_of_two_partitions():
    # two distant halves, each partitioned well by one parent only
    generator = np.random.default_rng(0)
    left = np.repeat(np.arange(4.0), 3)
    X = np.append(left, 1000 + left)[:, None]
    good = np.repeat(np.arange(4), 3)
    bad = np.tile(np.arange(4), 3)
    pool = GroupPool(X)
    pool.add(np.append(good, 4 + bad))
    child = recombine(pool, np.append(bad, 4 + good), time.thread_time() + 5.0, generator)
    assert sse(X, child) == 0.0


def test_never_worse_than_the_start():
    X = np.random.default_rng(0).standard_normal((60, 2))
    pool = GroupPool(X)
    for seed in range(6):
        pool.add(any_partition(60, 3, seed))
    for seed in range(5):
        start = any_partition(60, 3, seed)
        child = recombine(pool, start, time.thread_time() + 0.05, np.random.default_rng(seed))
        assert np.bincount(child).min() >= 3
        assert sse(X, child) <= sse(X, start) * (1 + 1e-12)
