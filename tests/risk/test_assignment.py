"""One-to-one assignment without all distances, against the exact solver."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment

import microveil as mv
from microveil.kernels.linkage.cells import numbers
from microveil.risk import GlobalLinkage, assignment
from microveil.risk.assignment import assign

STEPS = np.zeros((2, 2))


def ones(n: int) -> np.ndarray:
    return np.ones(n, dtype=np.int64)


@pytest.mark.parametrize("sizes", [(80, 80), (80, 120), (120, 80)])
@pytest.mark.parametrize("manhattan", [True, False])
def test_the_total_is_the_least_and_that_is_proven(sizes: tuple[int, int], manhattan: bool) -> None:
    rng = np.random.default_rng(sum(sizes))
    A, B = (rng.lognormal(size=(n, 2)) for n in sizes)
    links = assign(numbers(A), ones(len(A)), numbers(B), ones(len(B)), STEPS, manhattan, 10, 3)
    cost = np.abs(A[:, None] - B).sum(axis=2) if manhattan else np.linalg.norm(A[:, None] - B, axis=2)
    least = cost[linear_sum_assignment(cost)].sum()
    assert len(np.unique(links.a)) == len(np.unique(links.b)) == min(sizes)
    assert links.distances == pytest.approx(cost[links.a, links.b])
    assert links.distances.sum() == pytest.approx(least, rel=1e-9)
    assert links.least == pytest.approx(least, rel=1e-8)
    assert links.least <= least * (1 + 1e-9)
    assert links.excess == 0


@pytest.mark.parametrize("sizes", [(60, 60), (60, 75), (75, 60)])
def test_copies_on_both_sides(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(sizes))
    A, B = (rng.integers(0, 4, size=(n, 2)).astype(float) for n in sizes)
    (a, a_counts), (b, b_counts) = (np.unique(M, axis=0, return_counts=True) for M in (A, B))
    links = assign(numbers(a), a_counts, numbers(b), b_counts, STEPS, False, 10, 2)
    cost = np.linalg.norm(A[:, None] - B, axis=2)
    assert links.distances.sum() == pytest.approx(cost[linear_sum_assignment(cost)].sum(), rel=1e-9)
    assert links.excess == 0
    for linked, counts in ((links.a, a_counts), (links.b, b_counts)):
        assert (np.bincount(linked, minlength=len(counts)) <= counts).all()
    assert len(links.a) == min(sizes)


def test_a_bound_is_proven_where_the_search_ends_early(monkeypatch) -> None:
    monkeypatch.setattr(assignment, "_MOST_SEARCHES", 1)
    rng = np.random.default_rng(4)
    A, B = rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 0.5
    links = assign(numbers(A), ones(300), numbers(B), ones(300), STEPS, False, 10, 3)
    cost = np.linalg.norm(A[:, None] - B, axis=2)
    least = cost[linear_sum_assignment(cost)].sum()
    assert 0 < links.least <= least < links.distances.sum()
    assert links.excess == pytest.approx(1 - links.least / links.distances.sum())


def test_equal_records_are_as_many_places() -> None:
    A, B = numbers(np.arange(12.0)[:, None]), numbers(np.array([[1.0], [9.0]]))
    links = assign(A, ones(12), B, np.array([6, 6]), STEPS[:1], False, 3, 1)
    assert links.b.tolist() == [0] * 6 + [1] * 6
    everyone = assign(B, np.array([6, 6]), B, np.array([7, 6]), STEPS[:1], False, 3, 1)
    assert everyone.a.tolist() == everyone.b.tolist() == [0] * 6 + [1] * 6


@pytest.fixture(scope="module")
def averaged() -> tuple[pd.DataFrame, pd.DataFrame]:
    frame = mv.datasets.make_enterprises(500, seed=3).to_pandas()
    frame = frame[[name for name in frame if name.endswith(("revenue", "sales"))]]
    method = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5))
    return frame, method.apply(mv.Microdata(frame), columns=list(frame), seed=1).frame


@pytest.mark.parametrize("standardise", ["own", "original"])
def test_the_figure_does_not_drop_where_not_all_distances_are_held(averaged, standardise: str) -> None:
    exact = GlobalLinkage(standardise=standardise)(*averaged)
    beyond = GlobalLinkage(standardise=standardise, exact_up_to=10)(*averaged)
    assert exact.value > 10
    assert beyond.value == pytest.approx(exact.value, abs=1)
    assert beyond.parts["records without a link"] == 0
    assert beyond.parts["total distance"] == pytest.approx(exact.parts["total distance"], rel=1e-9)
    assert beyond.parts["proven least distance"] == pytest.approx(exact.parts["total distance"], rel=1e-7)
    assert "at least" not in beyond.reading


def test_a_search_that_ends_early_is_told(averaged, monkeypatch) -> None:
    monkeypatch.setattr(assignment, "_MOST_SEARCHES", 1)
    found = GlobalLinkage(exact_up_to=10, candidates=2)(*averaged)
    assert found.parts["records without a link"] == 0
    assert found.parts["proven least distance"] < found.parts["total distance"]
    assert "the search ended before nobody would rather have another record: up to" in found.notes[0]
    assert "would link at least about" in found.reading
    wider = GlobalLinkage(exact_up_to=10, candidates=60)(*averaged)
    assert wider.parts["total distance"] < found.parts["total distance"]
