"""Annealing: the known optimum of small files, repeatable by sweeps, never worse than the start."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microveil.core.errors import BadInput
from microveil.kernels.mdav.engine import mdav
from microveil.kernels.refinement.anneal import anneal
from tests.kernels.refinement.test_descent import any_partition, cheapest_partition, sse
from tests.kernels.search.test_blocks import kinds, random_records
from tests.reference import shared_file

SURFACE = [790, 710, 730, 810, 950, 510, 400, 330, 510, 760, 50]
EMPLOYEES = [55, 44, 32, 17, 3, 25, 45, 50, 5, 52, 12]


def standardise(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def companies() -> np.ndarray:
    return standardise(np.column_stack([SURFACE, EMPLOYEES]).astype(float))


def test_the_optimum_of_the_eleven_companies():
    X = companies()
    labels = anneal(X, mdav(X, 3), 3, sweeps=500, hottest=2.0, generator=np.random.default_rng(0))
    assert sse(X, labels) / (X**2).sum() == pytest.approx(0.3402, abs=5e-5)
    assert labels.tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 1, 0, 2]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_optimum_of_nine_records(k, seed):
    X = np.random.default_rng(seed).standard_normal((9, 2))
    labels = anneal(X, mdav(X, k), k, sweeps=1000, hottest=1.0, generator=np.random.default_rng(0))
    assert sse(X, labels) == pytest.approx(cheapest_partition(X, k), rel=1e-9)


@given(st.integers(2, 90), st.integers(1, 3), st.integers(1, 5), kinds, st.integers(0, 99))
@settings(max_examples=20)
def test_sizes_partition_and_never_worse(n, d, k, kind, seed):
    X = random_records(max(n, k), d, kind, seed)
    start = any_partition(len(X), k, seed)
    labels = anneal(X, start, k, sweeps=20, generator=np.random.default_rng(seed))
    counts = np.bincount(labels)
    assert counts.sum() == len(X)
    assert counts.min() >= k
    assert len(X) < 2 * k or counts.max() <= 2 * k - 1
    assert sse(X, labels) <= sse(X, start) * (1 + 1e-12) + 1e-12


def test_sweeps_are_repeatable_and_depend_on_the_generator():
    X = np.random.default_rng(0).standard_normal((500, 4))
    first, again, other = (
        anneal(X, mdav(X, 3), 3, sweeps=50, generator=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_many_records_are_annealed_block_by_block():
    X = np.random.default_rng(0).standard_normal((9000, 2))
    start = mdav(X, 3)
    labels = anneal(X, start, 3, sweeps=30, hottest=0.1, neighbours=6, generator=np.random.default_rng(1))
    assert np.bincount(labels).min() >= 3
    assert sse(X, labels) < 0.93 * sse(X, start)


def test_a_second_on_the_census_file():
    X = standardise(np.loadtxt(shared_file("data", "census.csv"), delimiter=",", skiprows=1))
    start = mdav(X, 5)
    assert 100 * sse(X, start) / (X**2).sum() == pytest.approx(9.0884, abs=1e-4)
    labels = anneal(X, start, 5, sweeps=3000, generator=np.random.default_rng(1))
    assert 100 * sse(X, labels) / (X**2).sum() < 7.5


def test_exactly_one_budget_is_given():
    X = companies()
    with pytest.raises(BadInput, match=r"seconds=None and sweeps=None; give one of them"):
        anneal(X, mdav(X, 3), 3, generator=np.random.default_rng(0))
    with pytest.raises(BadInput, match=r"seconds=1 and sweeps=1; give one of them"):
        anneal(X, mdav(X, 3), 3, seconds=1, sweeps=1, generator=np.random.default_rng(0))
