"""Reverse mapping: what is left of a masking is a permutation, and ranks find whom values do not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import ReverseMapping
from microveil.kernels.linkage.largest import nearest_by_largest
from microveil.mask import Microaggregation, MultiplicativeNoise, RankSwap
from microveil.partition import MDAV
from tests.attack.files import as_table

NEAREST, LARGEST = "ranks, nearest", "least change of ranks"
OF_VALUES, OF_RECORDS = "permutation distance of values", "permutation distance of records"


def drawn(rows: int = 300, width: int = 4, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, width))


def test_values_that_keep_their_ranks_hide_nobody():
    """Exponentials are far from the originals, and in the same order."""
    X = drawn()
    found = ReverseMapping()(as_table(X), as_table(np.exp(3 * X)))
    assert found.value == found.parts[LARGEST] == 100.0
    assert found.parts[OF_RECORDS] == 0.0
    assert mv.risk.DistanceLinkage()(as_table(X), as_table(np.exp(3 * X))).value < 50


def test_ranks_by_hand():
    """Four records: two change places by one rank, which is a quarter of the file, in one column of two."""
    before = pa.table({"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0]})
    after = pa.table({"a": [20.0, 10.0, 30.0, 40.0], "b": [5.0, 6.0, 7.0, 8.0]})
    parts = ReverseMapping()(before, after).parts
    assert parts[OF_VALUES] == pytest.approx(100 * (2 * 0.25) / 8)
    assert parts[OF_RECORDS] == pytest.approx(100 * (2 * 0.25) / 4)
    # the first two are one rank away from one another's record and from their own; they share the link
    assert parts[NEAREST] == pytest.approx(75.0)
    # by the largest change the third record is as near to the second as these two are
    assert parts[LARGEST] == pytest.approx(100 * (1 / 2 + 1 / 3 + 1 + 1) / 4)


@pytest.mark.parametrize("p", [5, 15])
def test_swapping_permutes_no_farther_than_it_says(p):
    data = as_table(drawn())
    parts = ReverseMapping()(data, RankSwap(p=p).apply(data, columns=data.column_names, seed=1)).parts
    assert 0.2 * p < parts[OF_VALUES] < parts[OF_RECORDS] <= p


def test_figures_on_census(census):
    """Nearest ranks agree with the measure of risk that compares ranks, and beat values by far."""
    for method, least in ((RankSwap(p=10), 90), (MultiplicativeNoise(), 90)):
        release = method.apply(census, columns=census.column_names, seed=1)
        found = ReverseMapping()(census, release)
        by_ranks = mv.risk.DistanceLinkage(scale="ranks")(census, release).value
        assert found.parts[NEAREST] == pytest.approx(by_ranks)
        assert found.value > least
        assert found.parts["precision"] > 0.98
    grouped = Microaggregation(partition=MDAV(k=5)).apply(census, columns=census.column_names, seed=1)
    assert ReverseMapping()(census, grouped).value < 20  # one of five at most


def test_order_of_rows_and_gaps():
    X = drawn(200)
    Y = X + 0.2 * drawn(200, seed=2)
    holes = np.zeros(X.shape, dtype=bool)
    holes[::3, 0] = True
    X[:50, 1], Y[:50, 1] = 0.0, 0.0  # ties
    before, after = (pa.table({f"x{j}": pa.array(Z[:, j], mask=holes[:, j]) for j in range(4)}) for Z in (X, Y))
    found = ReverseMapping()(before, after)
    assert found.value > 30
    order = np.random.default_rng(3).permutation(200)
    turned = ReverseMapping().of_pair(mv.measure.Pair.of(before, after.take(order), linked=order))
    assert turned.parts == pytest.approx(found.parts)


def test_columns_that_nobody_changed_must_agree():
    data = as_table(drawn()).append_column("place", pa.array(["a", "b", "c"] * 100))
    release = RankSwap(p=50).apply(data, columns=["x0", "x1", "x2", "x3"], seed=1)
    without = ReverseMapping(known=["x0", "x1", "x2", "x3"])(data, release)
    assert ReverseMapping()(data, release).value > without.value + 2
    assert "knows no amount" in ReverseMapping(known=["place"])(data, release).reason


def test_largest_differences_against_a_plain_version():
    draw = np.random.default_rng(4)
    X, Y = draw.integers(0, 6, (40, 3)).astype(float), draw.integers(0, 6, (50, 3)).astype(float)
    X[::5, 1], Y[::7, 2] = np.nan, np.nan
    met = nearest_by_largest(X, Y, 1000, 1e-9)
    far = np.nanmax(np.abs(X[:, None] - Y[None]), axis=2)
    assert met.least.tolist() == far.min(axis=1).tolist()
    for i in range(40):
        expected = np.flatnonzero(far[i] == far[i].min())
        assert met.candidate[met.start[i] : met.start[i + 1]].tolist() == expected.tolist()
        assert met.sizes[i] == len(expected)
