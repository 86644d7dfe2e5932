"""Clusters around modes, filled up to k."""

from __future__ import annotations

import numpy as np

from microveil.kernels.distances.mixed import mixed_metric
from microveil.kernels.grouping.k_modes import k_modes

NOMINAL = [2, 2]


def clusters(rows: list[list[int]], seeds: list[int], k: int, rounds: int = 5) -> list[int]:
    X = np.array(rows, dtype=float)
    metric = mixed_metric(X, NOMINAL, categories={0: 3, 1: 3})
    return k_modes(X, metric, np.array(seeds), k, rounds).tolist()


def test_records_join_the_nearest_mode():
    assert clusters([[0, 0], [0, 0], [0, 1], [2, 2], [2, 2]], [0, 3], 2) == [0, 0, 0, 1, 1]


def test_a_small_cluster_takes_records_from_one_that_can_spare_them():
    # the last record is alone with its mode: it takes one of the others
    found = clusters([[0, 0], [0, 0], [0, 0], [2, 2]], [0, 3], 2)
    assert sorted(np.bincount(found).tolist()) == [2, 2]


def test_there_are_never_more_clusters_than_records_allow():
    found = clusters([[0, 0], [1, 1], [2, 2]], [0, 1, 2], 2)
    assert found == [found[0]] * 3
