from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.mixture.hierarchy import model_based_partitions
from microveil.kernels.mixture.kmeans import kmeans_partitions
from microveil.kernels.mixture.search import free_columns, search_mixtures


def criterion(X: np.ndarray, extra: float) -> float:
    n, p = X.shape
    W = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    spread = np.linalg.det(W / n) if n > p else 0.0
    return float(n * np.log(spread + (np.trace(W) + extra) / n))


def plain_partitions(X: np.ndarray, most: int) -> list[set[frozenset[int]]]:
    """Every merge tried in every step."""
    extra = X.var(axis=0).mean()
    groups = [frozenset(np.flatnonzero((row == X).all(axis=1)).tolist()) for row in np.unique(X, axis=0)]
    groups.sort(key=min)
    found = []
    while True:
        if len(groups) <= most:
            found.append(set(groups))
        if len(groups) == 1:
            return found[::-1]
        terms = [criterion(X[list(group)], extra) for group in groups]
        rise = {
            (i, j): criterion(X[list(groups[i] | groups[j])], extra) - terms[i] - terms[j]
            for i in range(len(groups))
            for j in range(i + 1, len(groups))
        }
        i, j = min(rise, key=lambda pair: rise[pair])
        groups[i] |= groups.pop(j)


@pytest.mark.parametrize("unit", [1.0, 1e4, 1e-4])
@pytest.mark.parametrize(("n", "p", "seed"), [(40, 2, 1), (45, 3, 2), (30, 1, 3)])
def test_every_merge_is_the_best_one(n: int, p: int, seed: int, unit: float):
    draw = np.random.default_rng(seed)
    X = unit * draw.normal(size=(n, p)) * draw.random(p) + 2.0 * unit * draw.integers(0, 3, size=(n, 1))
    X[: n // 5] = X[n // 5 : 2 * (n // 5)]  # equal records
    found = model_based_partitions(X, 6)
    for groups, expected in enumerate(plain_partitions(X, 6), start=1):
        labels = found[:, groups - 1]
        assert {frozenset(np.flatnonzero(labels == g).tolist()) for g in range(groups)} == expected


def test_labels_are_numbered_by_first_appearance():
    found = model_based_partitions(np.random.default_rng(1).normal(size=(50, 2)), 5)
    for groups in range(1, 6):
        _, first = np.unique(found[:, groups - 1], return_index=True)
        assert len(first) == groups
        assert (np.diff(first) > 0).all()


def test_fewer_different_records_than_groups():
    X = np.repeat([[0.0, 1.0], [2.0, 5.0]], 6, axis=0)
    assert model_based_partitions(X, 4)[:, 3].tolist() == [0] * 6 + [1] * 6
    assert kmeans_partitions(X, 4, np.random.default_rng(1))[:, 3].tolist() == [0] * 6 + [1] * 6


def test_kmeans_finds_separate_clusters_in_any_units():
    draw = np.random.default_rng(3)
    truth = np.repeat(np.arange(4), 25)
    X = (draw.normal(size=(100, 2)) * 0.05 + np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[truth]) * [1.0, 1e6]
    found = kmeans_partitions(X, 4, draw)[:, 3]
    assert len({(a, b) for a, b in zip(truth.tolist(), found.tolist(), strict=True)}) == 4


def test_columns_without_news_are_left_out():
    X = np.random.default_rng(1).normal(size=(80, 3))
    total = X[:, 0] + X[:, 1]
    wide = np.column_stack([X[:, 0], np.full(80, 7.0), X[:, 1], total, 1e9 * X[:, 2], 1e12 + 1e3 * X[:, 0]])
    assert free_columns(wide).tolist() == [0, 2, 4]
    assert free_columns(np.full((10, 2), 3.0)).tolist() == []


@pytest.mark.parametrize("start", ["hierarchical", "kmeans"])
def test_the_search_finds_number_and_family(start: str):
    draw = np.random.default_rng(2)
    truth = np.repeat(np.arange(3), 150)
    X = draw.normal(size=(450, 2)) @ np.array([[1.0, 0.8], [0.0, 0.4]]) + np.array([[0, 0], [8, 0], [0, 8]])[truth]
    found = search_mixtures(X, 5, ("EII", "EEE", "VVV"), draw, start=start)
    assert found.best is not None
    assert (found.best.family, found.best.groups) == ("EEE", 3)
    assert found.best.bic == max(found.bics.values())
    assert len(found.bics) == 15


def test_large_files_start_from_a_part_of_them():
    draw = np.random.default_rng(5)
    truth = draw.integers(0, 3, size=6000)
    X = draw.normal(size=(6000, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[truth]
    found = search_mixtures(X, 4, ("EII", "VVV"), draw)
    assert found.best is not None
    assert (found.best.family, found.best.groups) == ("EII", 3)
