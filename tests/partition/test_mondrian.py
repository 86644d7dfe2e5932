from __future__ import annotations

import numpy as np

from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.partition import Mondrian
from tests.reference import matrix

STREAMS = Streams(Key.of(1))


def test_strict_groups_are_disjoint_intervals_where_they_were_cut():
    X = matrix("census", ["FICA", "FEDTAX"])
    labels = Mondrian(k=10).labels(X)
    boxes = [(X[labels == g].min(axis=0), X[labels == g].max(axis=0)) for g in range(labels.max() + 1)]
    assert len(boxes) > 40
    for a, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:a]:
            assert ((high < other_low) | (other_high < low)).any()


def test_relaxed_groups_have_fewer_than_2k_records():
    X = np.random.default_rng(1).integers(0, 3, size=(500, 2)).astype(float)
    sizes = np.bincount(Mondrian(k=5, strict=False).labels(X))
    assert sizes.min() >= 5
    assert sizes.max() <= 9


def test_the_scale_decides_which_attribute_is_widest():
    X = np.array([[0.0, 0.0], [100.0, 0.1], [0.0, 9.0], [100.0, 9.1]])
    assert Mondrian(k=2, standardise=None).labels(X).tolist() == [0, 1, 0, 1]
    # on the scale of the range both are equal and the first is cut; in standard deviations the second is wider
    X = np.column_stack([np.arange(6.0), [5.0, -0.2, 0.1, -0.1, 0.2, -5.0]])
    assert Mondrian(k=3).labels(X).tolist() == [0, 0, 0, 1, 1, 1]
    assert Mondrian(k=3, standardise="zscore").labels(X).tolist() == [1, 0, 1, 0, 1, 0]


def test_gaps_are_a_value_of_their_own_below_all_others():
    amount = np.array([1.0, 2.0, np.nan, 3.0, np.nan, 4.0, np.nan, 5.0, np.nan, np.nan])
    table = Table({"amount": Values("continuous", amount)}, 10)
    assert Mondrian(k=5).groups_of(table, STREAMS).tolist() == [1, 1, 0, 1, 0, 1, 0, 1, 0, 0]


def test_a_column_without_any_value_is_no_reason_to_cut():
    table = Table(
        {
            "empty": Values("continuous", np.full(6, np.nan)),
            "colour": Values("nominal", np.array([0, 0, 0, 1, 1, 1]), ("red", "blue")),
        },
        6,
    )
    assert Mondrian(k=3).groups_of(table, STREAMS).tolist() == [0, 0, 0, 1, 1, 1]
