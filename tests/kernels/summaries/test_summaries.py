"""Summaries of records: any split and any order of merging give the bytes of the whole."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.kernels.fixed.sums import ExactMoments, Grid
from microveil.kernels.summaries.counts import Counts
from microveil.kernels.summaries.distinct import Distinct
from microveil.kernels.summaries.extremes import Extremes
from microveil.kernels.summaries.order import Order
from microveil.kernels.summaries.rows import CountedRows
from microveil.kernels.summaries.smallest import FirstPlaces
from microveil.kernels.summaries.summary import merge_all

N = 500
DRAW = np.random.default_rng(4)
AMOUNTS = DRAW.normal(size=(N, 3)) * 10.0 ** np.array([-8, 0, 9])
GAPPY = np.where(DRAW.random((N, 3)) < 0.2, np.nan, np.round(AMOUNTS[:, [1, 1, 1]], 1))
GAPPY[::7, 0] = -0.0  # equal to 0.0, with another sign
CODES = DRAW.integers(-1, 4, size=(N, 2))

SUMMARIES: dict[str, tuple[np.ndarray, Callable[[np.ndarray], Any]]] = {
    "moments": (AMOUNTS, partial(ExactMoments.of, grid=Grid.of(AMOUNTS))),
    "extremes": (GAPPY, Extremes.of),
    "counts": (CODES[:, 0], partial(Counts.of, levels=6)),
    "distinct": (CODES, Distinct.of),
    "order": (GAPPY[:, 0], Order.of),
    "rows": (GAPPY, CountedRows.of_floats),
    "first places": (
        np.column_stack([CODES[:, 0] + 1, np.arange(N)]),
        lambda data: FirstPlaces.of(data[:, 0], data[:, 1], np.array([0, 3, 1000, 1, 7])),
    ),
}


def bytes_of(summary: Any) -> bytes:
    """Every field to the last bit; whole numbers of any size as text."""
    if isinstance(summary, np.ndarray):
        return repr(summary.tolist()).encode() if summary.dtype == object else summary.tobytes()
    if hasattr(summary, "__dataclass_fields__"):
        return b"|".join(bytes_of(getattr(summary, name)) for name in summary.__dataclass_fields__)
    return pickle.dumps(int(summary))


@pytest.mark.parametrize(("data", "of"), SUMMARIES.values(), ids=SUMMARIES)
def test_neither_the_split_nor_the_order_of_merging_matters(data: np.ndarray, of: Callable[[np.ndarray], Any]) -> None:
    whole, draw = bytes_of(of(data)), np.random.default_rng(8)
    for number in (1, 2, 7, 40):
        ends = np.sort(draw.integers(0, N, size=number))  # some parts are empty
        parts = [of(part) for part in np.split(data[draw.permutation(N)], ends)]
        assert bytes_of(merge_all(parts)) == whole
        assert bytes_of(merge_all(parts[::-1])) == whole
        one_by_one = parts[-1]
        for part in parts[:-1]:
            one_by_one = part.merge(one_by_one)
        assert bytes_of(one_by_one) == whole


def test_of_no_record_and_of_no_summary() -> None:
    nobody = Order.of(np.empty(0))
    assert (nobody.observed, len(nobody.merge(nobody).values)) == (0, 0)
    assert len(Distinct.of(np.empty((0, 2), dtype=np.int64)).rows) == 0
    assert Extremes.of(np.full((2, 1), np.nan)).low.tolist() == [np.inf]
    with pytest.raises(BadInput, match="at least one"):
        merge_all([])


def test_gaps_are_left_out_and_counted() -> None:
    x = np.array([3.0, np.nan, 1.0, 3.0])
    ends = Extremes.of(x[:, None])
    assert (ends.low.tolist(), ends.high.tolist(), ends.records, ends.missing.tolist()) == ([1.0], [3.0], 4, [1])
    order = Order.of(x)
    assert (order.values.tolist(), order.counts.tolist(), order.missing) == ([1.0, 3.0], [1, 2], 1)
    found = Counts.of(np.array([0, -1, 2, 2]), 4)
    assert (found.counts.tolist(), found.missing) == ([1, 0, 2, 0], 1)


def test_order_gives_exact_quantiles() -> None:
    x = GAPPY[:, 1]
    expected = np.sort(x[~np.isnan(x)])
    order = Order.of(x[:100]).merge(Order.of(x[100:]))
    assert np.array_equal(order.sorted(), expected)
    ranks = np.arange(len(expected))
    assert np.array_equal(order.at(ranks), expected)


def test_distinct_knows_every_record() -> None:
    found = Distinct.of(CODES[:200]).merge(Distinct.of(CODES[200:]))
    assert found.rows.tolist() == sorted(map(list, {tuple(row) for row in CODES.tolist()}))
    times = Counter(map(tuple, CODES.tolist()))
    assert found.counts.tolist() == [times[tuple(row)] for row in found.rows.tolist()]
    assert np.array_equal(found.rows[found.places(CODES[5:50])], CODES[5:50])


@pytest.mark.parametrize("width", [1, 2])
def test_different_rows_are_counted_and_found(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = CODES[:, :width]
    found = CountedRows.of(codes[:200]).merge(CountedRows.of(codes[200:]))
    counted = Counter(map(tuple, codes.tolist()))
    assert dict(zip(map(tuple, found.words.tolist()), found.counts.tolist(), strict=True)) == counted
    assert found.words[found.places(codes)].tolist() == codes.tolist()
    assert found.places(codes[:1] + 100).tolist() == [-1]
    assert CountedRows.of(found.words, found.counts).counts.tolist() == found.counts.tolist()
    monkeypatch.setattr("microveil.kernels.summaries.rows.MOST_ROWS", len(counted))
    assert not CountedRows.of(codes).too_many
    monkeypatch.setattr("microveil.kernels.summaries.rows.MOST_ROWS", len(counted) - 1)
    many = CountedRows.of(codes[:200]).merge(CountedRows.of(codes[200:]))
    assert many.too_many
    assert many.merge(CountedRows.of(codes[:1])).too_many


def test_the_first_places_of_each_group() -> None:
    found = FirstPlaces.of(np.array([1, 0, 1, 1, 0]), np.array([9, 4, 2, 5, 1]), np.array([1, 2]))
    assert (found.groups.tolist(), found.places.tolist()) == ([0, 1, 1], [1, 2, 5])
