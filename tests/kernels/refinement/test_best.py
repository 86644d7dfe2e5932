"""The strongest combination: optimal on small files, valid at any size, better than its start."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import NotEnoughRecords
from microveil.kernels.mdav.engine import mdav
from microveil.kernels.refinement import best as anneal_best
from microveil.kernels.refinement.best import best
from tests.kernels.refinement.test_anneal import companies
from tests.kernels.refinement.test_descent import cheapest_partition, sse


def test_the_optimum_of_the_eleven_companies():
    X = companies()
    labels = best(X, 3, 0.2, np.random.default_rng(0))
    assert sse(X, labels) / (X**2).sum() == pytest.approx(0.3402, abs=5e-5)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_optimum_of_nine_records(k):
    X = np.random.default_rng(k).standard_normal((9, 3))
    assert sse(X, best(X, k, 0.2, np.random.default_rng(0))) == pytest.approx(cheapest_partition(X, k), rel=1e-9)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_few_records(n):
    X = np.random.default_rng(n).standard_normal((n, 2))
    labels = best(X, 3, 0.05, np.random.default_rng(0))
    assert np.bincount(labels).min() >= 3
    assert labels.max() == (0 if n < 6 else 1)


def test_identical_records():
    labels = best(np.zeros((50, 2)), 3, 0.05, np.random.default_rng(0))
    assert np.bincount(labels).min() >= 3
    assert np.bincount(labels).max() <= 5


def test_a_large_file_starts_in_blocks_and_ends_below_its_start(monkeypatch):
    monkeypatch.setattr(anneal_best, "_EXACT_START", 1000)
    X = np.random.default_rng(0).standard_normal((6000, 3))
    labels = best(X, 3, 0.45, np.random.default_rng(0))
    counts = np.bincount(labels)
    assert counts.min() >= 3
    assert counts.max() <= 5
    assert sse_by_sums(X, labels) < 0.95 * sse_by_sums(X, mdav(X, 3))


def sse_by_sums(X: np.ndarray, labels: np.ndarray) -> float:
    size = np.bincount(labels)
    return (X**2).sum() - sum((np.bincount(labels, x) ** 2 / size).sum() for x in X.T)


def test_no_time_still_gives_a_partition():
    X = np.random.default_rng(0).standard_normal((200, 3))
    labels = best(X, 4, 0.0, np.random.default_rng(0))
    assert np.bincount(labels).min() >= 4
    assert sse(X, labels) <= sse(X, mdav(X, 4)) * (1 + 1e-12)


def test_too_few_records_are_refused():
    with pytest.raises(NotEnoughRecords, match=r"2 records are fewer than k=3"):
        best(np.zeros((2, 1)), 3, 1.0, np.random.default_rng(0))
