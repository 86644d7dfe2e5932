"""Local search: sizes, partition, never worse, repeatable, and the optimum of small files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.mdav.engine import mdav
from microveil.kernels.refinement.descent import descend, labels_of, lay_out, number_groups, refine, split_large
from microveil.kernels.refinement.groups import within_sse
from tests.kernels.search.test_blocks import kinds, random_records


def sse(X: np.ndarray, labels: np.ndarray) -> float:
    return sum(((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels))


def cheapest_partition(X: np.ndarray, k: int) -> float:
    """The lowest SSE over all partitions into groups of at least k, by a recursion over sets of records."""
    from functools import cache
    from itertools import combinations

    @cache
    def cheapest(records: frozenset) -> float:
        if not records:
            return 0.0
        first = min(records)
        others = sorted(records - {first})
        lowest = np.inf
        for size in range(k - 1, min(2 * k - 2, len(others)) + 1):
            for chosen in combinations(others, size):
                group = X[[first, *chosen]]
                rest = cheapest(records - {first, *chosen})
                lowest = min(lowest, ((group - group.mean(axis=0)) ** 2).sum() + rest)
        return lowest

    return cheapest(frozenset(range(len(X))))


def any_partition(n: int, k: int, seed: int) -> np.ndarray:
    """Groups of k records and more drawn at random."""
    return np.random.default_rng(seed).permutation(np.minimum(np.arange(n) // k, n // k - 1))


@given(st.integers(2, 120), st.integers(1, 4), st.integers(2, 6), kinds, st.integers(0, 99))
def test_sizes_partition_and_sse(n, d, k, kind, seed):
    X = random_records(max(n, k), d, kind, seed)
    start = any_partition(len(X), k, seed)
    labels = refine(X, start, k, generator=np.random.default_rng(seed))
    counts = np.bincount(labels)
    assert counts.sum() == len(X)
    assert counts.min() >= k
    assert counts.max() <= max(2 * k - 1, len(X) if len(X) < 2 * k else 0)
    assert sse(X, labels) <= sse(X, start) * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("k", [2, 3, 5])
def test_few_records(k):
    for n in range(k, 2 * k + 2):
        X = np.random.default_rng(n).standard_normal((n, 2))
        labels = refine(X, np.zeros(n, np.int64), k, generator=np.random.default_rng(0))
        assert np.bincount(labels).min() >= k
        assert labels.max() == (0 if n < 2 * k else 1)


def test_the_kept_sse_is_the_sse_of_the_labels():
    X = np.random.default_rng(3).standard_normal((400, 5))
    problem = lay_out(X, mdav(X, 4), 4, 10, np.random.default_rng(0))
    descend(problem, 4, 10**9, np.inf)
    assert within_sse(problem.X, problem.groups) == pytest.approx(sse(X, labels_of(problem)), rel=1e-10)
    assert (np.bincount(problem.groups.label) == problem.groups.size[: problem.groups.number[0]]).all()


def test_mdav_is_improved_and_a_local_optimum_is_kept():
    X = np.random.default_rng(5).standard_normal((600, 3))
    start = mdav(X, 3)
    labels = refine(X, start, 3, generator=np.random.default_rng(0))
    assert sse(X, labels) < 0.95 * sse(X, start)
    assert (refine(X, labels, 3, generator=np.random.default_rng(0)) == labels).all()


def test_a_budget_of_moves_is_repeatable_and_kept():
    X = np.random.default_rng(5).standard_normal((300, 3))
    start = mdav(X, 3)
    losses = []
    for moves in (0, 1, 10, 40):
        labels = refine(X, start, 3, moves=moves, generator=np.random.default_rng(1))
        assert (labels == refine(X, start, 3, moves=moves, generator=np.random.default_rng(1))).all()
        losses.append(sse(X, labels))
    assert losses[0] == pytest.approx(sse(X, start), rel=1e-12)
    assert losses == sorted(losses, reverse=True)
    one = refine(X, start, 3, moves=1, generator=np.random.default_rng(1))
    together = (start[:, None] == start) & (one[:, None] == one)
    # one move or swap touches two groups; one regrouping at most a group of k and its k hosts
    assert (together.sum(axis=1) < 3).sum() <= 3 * 4


def test_a_spent_clock_still_gives_a_valid_partition():
    X = np.random.default_rng(5).standard_normal((300, 3))
    start = mdav(X, 3)
    labels = refine(X, start, 3, seconds=0.0, generator=np.random.default_rng(1))
    assert np.bincount(labels).min() >= 3
    assert sse(X, labels) <= sse(X, start)


def test_large_groups_are_split_without_loss():
    X = np.random.default_rng(2).standard_normal((101, 2))
    labels = split_large(X, np.zeros(101, np.int64), 5)
    counts = np.bincount(labels)
    assert counts.min() >= 5
    assert counts.max() <= 9
    assert sse(X, labels) < sse(X, np.zeros(101))


def test_descent_never_beats_and_often_reaches_the_optimum():
    reached = 0
    for seed in range(20):
        X = np.random.default_rng(seed).standard_normal((9, 2))
        found = sse(X, refine(X, mdav(X, 3), 3, generator=np.random.default_rng(0)))
        optimum = cheapest_partition(X, 3)
        assert found >= optimum * (1 - 1e-12)
        reached += found <= optimum * (1 + 1e-9)
    assert reached >= 12


def test_labels_are_numbered_by_first_appearance():
    assert number_groups(np.array([7, 7, 2, 9, 2])).tolist() == [0, 0, 1, 2, 1]


def test_refusals_say_what_came():
    X = np.zeros((6, 1))
    generator = np.random.default_rng(0)
    with pytest.raises(BadInput, match=r"smallest group to start from has 2 records; give groups of at least k=3"):
        refine(X, np.array([0, 0, 1, 1, 1, 1]), 3, generator=generator)
    with pytest.raises(NotEnoughRecords, match=r"6 records are fewer than k=7"):
        refine(X, np.zeros(6, np.int64), 7, generator=generator)
    with pytest.raises(BadInput, match=r"5 labels for 6 records"):
        refine(X, np.zeros(5, np.int64), 3, generator=generator)
    with pytest.raises(BadInput, match=r"labels run from -1 to 0; number the groups within 0\.\.5"):
        refine(X, np.array([0, 0, 0, -1, -1, -1]), 3, generator=generator)
    with pytest.raises(BadInput, match=r"k must be 1 or more; 0 was given"):
        refine(X, np.zeros(6, np.int64), 0, generator=generator)
