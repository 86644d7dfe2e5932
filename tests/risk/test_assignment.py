"""One-to-one assignment without all distances, against the exact solver."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment

import microveil as mv
from microveil.kernels.linkage.partners import numbers
from microveil.risk import GlobalLinkage, assignment
from microveil.risk.assignment import assign

STEPS = np.zeros((2, 2))


def ones(n: int) -> np.ndarray:
    return np.ones(n, dtype=np.int64)


@pytest.mark.parametrize("sizes", [(80, 80), (80, 120), (120, 80)])
@pytest.mark.parametrize("manhattan", [True, False])
def test_the_total_is_the_least(sizes: tuple[int, int], manhattan: bool, monkeypatch) -> None:
    monkeypatch.setattr(assignment, "_FEW", 0.0)
    rng = np.random.default_rng(sum(sizes))
    A, B = (rng.lognormal(size=(n, 2)) for n in sizes)
    links = assign(numbers(A), ones(len(A)), numbers(B), ones(len(B)), STEPS, manhattan, 10, 3)
    cost = np.abs(A[:, None] - B).sum(axis=2) if manhattan else np.linalg.norm(A[:, None] - B, axis=2)
    least = cost[linear_sum_assignment(cost)].sum()
    assert len(np.unique(links.a)) == len(np.unique(links.b)) == min(sizes)
    assert links.left_over == 0
    assert links.distances == pytest.approx(cost[links.a, links.b])
    assert links.distances.sum() == pytest.approx(least, rel=1e-9)


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
    assert beyond.parts["records without a link"] == beyond.parts["records that took what was left"] == 0
    assert beyond.parts["total distance"] == pytest.approx(exact.parts["total distance"], rel=1e-3)
    assert "at least" not in beyond.reading


def test_who_is_left_takes_the_nearest_that_is_free_and_is_counted(averaged, monkeypatch) -> None:
    monkeypatch.setattr(assignment, "_MOST_WORK", 1)
    found = GlobalLinkage(exact_up_to=10, candidates=2)(*averaged)
    left = int(found.parts["records that took what was left"])
    assert left > 10
    assert found.parts["records without a link"] == 0
    assert "the search ended before" in found.notes[0]
    assert f"{left} records found none among those offered and took the nearest that was free" in found.notes[0]
    assert "would link at least about" in found.reading
    assert GlobalLinkage(exact_up_to=10, candidates=60)(*averaged).parts["records that took what was left"] < left
