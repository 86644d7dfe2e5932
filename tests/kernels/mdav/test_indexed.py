"""The indexed, the plain and the mixed engine give the same labels, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.mdav_by_index import mdav_indexed
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.mdav.engine import mdav
from microveil.kernels.mdav.indexed import _is_worth
from microveil.kernels.mdav.plain import mdav_plain

KINDS = ("normal", "clustered", "duplicated", "integers", "constant column", "binary", "skewed", "far from zero")


def draw(kind: str, n: int, d: int, seed: int) -> np.ndarray:
    g = np.random.default_rng(seed)
    X = g.normal(size=(n, d))
    if kind == "clustered":
        X += 10 * g.normal(size=(5, d))[g.integers(0, 5, n)]
    elif kind == "duplicated":
        X = X[g.integers(0, n // 10 + 1, n)]
    elif kind == "integers":
        X = np.round(2 * X)
    elif kind == "constant column":
        X[:, 0] = 3.0
    elif kind == "binary":
        X = (X > 0).astype(float)
    elif kind == "skewed":
        X = np.exp(3 * X)
    elif kind == "far from zero":
        X = np.round(3 * X) / 7 + 1000
    return np.ascontiguousarray(X)


@given(
    st.sampled_from(KINDS),
    st.integers(2, 600),
    st.integers(1, 12),
    st.integers(2, 15),
    st.integers(0, 10**6),
)
def test_engines_agree_on_small_files(kind: str, n: int, d: int, k: int, seed: int) -> None:
    X = draw(kind, max(n, k), d, seed)
    assert (mdav_indexed(X, k) == mdav_plain(X, k)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("d", "k"), [(1, 3), (3, 2), (6, 11), (12, 5)])
def test_engines_agree_on_larger_files(kind: str, d: int, k: int) -> None:
    X = draw(kind, 4001, d, 7)
    assert (mdav_indexed(X, k) == mdav_plain(X, k)).all()


@pytest.mark.parametrize(
    ("kind", "n", "d"),
    [
        ("normal", 6000, 2),
        ("clustered", 12000, 10),
        ("integers", 12000, 10),
        ("duplicated", 6000, 3),
        ("normal", 13000, 16),
    ],
)
def test_changing_engines_on_the_way_leaves_the_labels(kind: str, n: int, d: int) -> None:
    # with 16 attributes the index is tried, found not worth its work, and left
    X = draw(kind, n, d, 1)
    assert (mdav(X, 2) == mdav_plain(X, 2)).all()


def test_all_records_equal_are_grouped_in_row_order() -> None:
    X = np.full((40, 3), 0.1)
    labels = mdav_indexed(X, 3)
    assert (labels == mdav_plain(X, 3)).all()
    assert (np.bincount(labels) >= 3).all()
    # the seeds are rows 0 and 1, and each takes the lowest rows left
    assert labels[:6].tolist() == [0, 1, 0, 0, 1, 1]


def test_values_too_large_for_single_precision() -> None:
    X = draw("normal", 500, 3, 1) * 1e20
    assert (mdav_indexed(X, 3) == mdav_plain(X, 3)).all()


def test_distances_far_below_single_precision_of_the_values() -> None:
    # neighbours differ in the tenth digit: the first look in single precision cannot tell them apart
    g = np.random.default_rng(2)
    X = g.integers(0, 3, size=(900, 4)) + 1e-9 * g.normal(size=(900, 4))
    assert (mdav_indexed(X, 4) == mdav_plain(X, 4)).all()


def test_index_is_worth_it_only_when_it_looks_at_little() -> None:
    assert _is_worth(looked=16 * 100, left=100_000, k=3, d=10)
    assert not _is_worth(looked=16 * 4 * 6250, left=100_000, k=3, d=10)
    assert not _is_worth(looked=16, left=500, k=3, d=10)
