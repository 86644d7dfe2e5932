"""MDAV on mixed records: the engine for numbers where all are numbers, identical rows together, hand-made centres."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.distances.mixed import average, mixed_metric, record_distances
from microveil.kernels.mdav.generic import generic_labels, mdav_generic
from microveil.kernels.mdav.plain import mdav_plain
from microveil.kernels.moments.scales import standardise


def mixed_table(n: int, seed: int, missing: float = 0.0) -> np.ndarray:
    g = np.random.default_rng(seed)
    V = np.column_stack([g.normal(size=n), g.integers(0, 5, n), g.integers(0, 4, n), 100 * g.normal(size=n)])
    V[g.random(V.shape) < missing] = np.nan
    return V


@pytest.mark.parametrize(("n", "d", "k"), [(2, 1, 2), (57, 2, 5), (400, 4, 3), (1000, 7, 4)])
def test_numbers_only_give_the_labels_of_the_plain_engine(n: int, d: int, k: int) -> None:
    g = np.random.default_rng(n)
    X = np.round(g.normal(size=(n, d)) * g.uniform(1, 50, d))
    metric = mixed_metric(X, [0] * d)
    assert (mdav_generic(X, metric, k) == mdav_plain(standardise(X).values, k)).all()


def test_scans_of_mixed_records_agree_with_the_plain_engine() -> None:
    X = np.random.default_rng(1).normal(size=(500, 3)) * [1, 7, 40]
    metric = mixed_metric(X, [0, 0, 0], weights=[1, 4, 0.25])
    by_numbers = mdav_plain(np.ascontiguousarray((X - X.mean(axis=0)) * metric.per_scale * [1, 2, 0.5]), 4)
    assert (generic_labels(X, metric, 4) == by_numbers).all()
    assert (mdav_generic(X, metric, 4) == by_numbers).all()


def test_metric_of_a_larger_file_keeps_its_scale() -> None:
    X = np.random.default_rng(2).normal(size=(300, 2)) * [1, 30]
    metric = mixed_metric(X, [0, 0])
    part = X[:120] * [0.01, 1]  # on its own scale the first column would weigh as much as the second
    assert (mdav_generic(part, metric, 3) == generic_labels(part, metric, 3)).all()


@pytest.mark.parametrize(("m", "k"), [(1, 4), (2, 3), (5, 2), (20, 3)])
def test_repeated_nominal_rows_stay_together(m: int, k: int) -> None:
    distinct = np.array([[i % 3, i // 3, i % 2] for i in range(m)], dtype=float)
    V = np.repeat(distinct, k, axis=0)[np.random.default_rng(m).permutation(m * k)]
    labels = mdav_generic(V, mixed_metric(V, [2, 2, 2]), k)
    assert (np.bincount(labels) == k).all()
    assert all(len(np.unique(V[labels == g], axis=0)) == 1 for g in range(m))


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_every_group_follows_the_definition(missing: float) -> None:
    """Replays the heuristic with the averages and distances of mixed records, group by group."""
    V, k = mixed_table(80, 3, missing), 3
    metric = mixed_metric(V, [0, 1, 2, 0])
    labels = mdav_generic(V, metric, k)
    left, label = list(range(80)), 0
    while len(left) >= 3 * k:
        centre = average(V, metric, np.array(left))
        r = left[int(np.argmax(record_distances(V[left], centre[None], metric)))]
        rest = [i for i in left if i != r]
        s = rest[int(np.argmax(record_distances(V[rest], V[[r]], metric)))]
        rest.remove(s)
        for seed in (r, s):
            order = np.argsort(record_distances(V[rest], V[[seed]], metric)[:, 0], kind="stable")[: k - 1]
            group = {seed, *(rest[i] for i in order)}
            assert set(np.flatnonzero(labels == label)) == group
            rest = [i for i in rest if i not in group]
            label += 1
        left = rest
    assert len(np.unique(labels)) == 80 // k


def test_sizes_with_much_missing() -> None:
    V = mixed_table(100, 4, missing=0.6)
    sizes = np.bincount(mdav_generic(V, mixed_metric(V, [0, 1, 2, 0]), 7))
    assert sizes.tolist() == [7] * 13 + [9]


def test_small_n_and_k_of_one() -> None:
    V = mixed_table(5, 5)
    metric = mixed_metric(V, [0, 1, 2, 0])
    assert mdav_generic(V, metric, 1).tolist() == [0, 1, 2, 3, 4]
    assert mdav_generic(V, metric, 3).tolist() == [0] * 5
