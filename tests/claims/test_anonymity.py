"""Anonymity models and the classes that break them."""

from __future__ import annotations

import numpy as np
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.data.class_rule import ClassRule
from microveil.data.table import Table, Values


def test_each_part_needs_what_it_refines():
    for asked, message in (
        ({"l": 2}, "l=2 needs sensitive, which is left out; give it too"),
        ({"sensitive": ["s"]}, "say with l, t or beta what they must satisfy"),
        ({"diversity": "entropy"}, "diversity='entropy' needs l, which is left out; give it too"),
        ({"sensitive": ["s"], "l": 2, "c": 3}, "c=3.0 needs diversity='recursive'; diversity is 'distinct'"),
        ({"distance": "equal"}, "distance='equal' needs t, which is left out; give it too"),
    ):
        with pytest.raises(BadInput, match=message):
            mv.Anonymity(**asked)


def rule(model, values, kind="ordinal", weights=None):
    column = Values(kind, np.array(values), tuple(range(max(values) + 1)))
    return ClassRule.of(model, Table({"s": column}, len(values)), weights)


def test_classes_that_break_a_model_by_hand():
    labels = np.array([0, 0, 0, 1, 1, 1])
    values = [0, 1, 2, 1, 1, 1]
    assert rule(mv.Anonymity(k=3), values).broken(labels, 2).tolist() == [False, False]
    assert rule(mv.Anonymity(k=4), values).broken(labels, 2).tolist() == [True, True]
    diverse = mv.Anonymity(k=3, sensitive=["s"], l=2)
    assert rule(diverse, values).broken(labels, 2).tolist() == [False, True]
    # half of the cumulated difference of the shares 1/6, 4/6, 1/6 from 1/3, 1/3, 1/3: 1/6; from 0, 1, 0: 1/6
    close = mv.Anonymity(k=3, sensitive=["s"], t=0.2)
    assert rule(close, values).broken(labels, 2).tolist() == [False, False]
    # without an order a third of the shares is elsewhere
    assert rule(close, values, kind="nominal").broken(labels, 2).tolist() == [True, True]


def test_classes_stand_for_a_population():
    labels = np.array([0, 0, 1, 1])
    model = mv.Anonymity(k=2, population=10)
    weighed = rule(model, [0, 1, 0, 1], weights=np.array([4.0, 6.0, 5.0, 4.9]))
    assert weighed.broken(labels, 2).tolist() == [False, True]
    with pytest.raises(BadInput, match="give a column the role 'weight'"):
        rule(model, [0, 1])


def test_records_left_out_do_not_count_any_more():
    # without the last two records the file is 0, 1, 0, 1 and both classes are as it is
    labels, values = np.array([0, 0, 1, 1, 2, 2]), [0, 1, 0, 1, 2, 2]

    def kept(t, **asked):
        bound = rule(mv.Anonymity(k=2, sensitive=["s"], t=t, **asked), values)
        return bound.keep(bound.counts(labels, 3), lambda: np.arange(3))

    assert kept(0.1) is None
    assert kept(0.1, t_against="release") is None
    assert kept(0.4).tolist() == [True, True, False]
    assert kept(0.4, t_against="file").tolist() == [True, True, False]
    # among the first two classes alone the distance is none, however small t is
    near = rule(mv.Anonymity(k=2, sensitive=["s"], t=0.01, t_against="release"), [0, 1, 0, 1, 0, 1])
    assert near.keep(near.counts(labels, 3), lambda: np.arange(3)).all()


def test_the_distance_for_t_follows_order_and_hierarchy_unless_stated():
    model = mv.Anonymity(sensitive=["s"], t=0.2)
    assert [model.distance_of("s", kind, False) for kind in ("continuous", "ordinal", "nominal")] == [
        "ordered",
        "ordered",
        "equal",
    ]
    assert model.distance_of("s", "nominal", True) == "hierarchy"
    stated = mv.Anonymity(sensitive=["s"], t=0.2, distance="ordered")
    assert stated.distance_of("s", "ordinal", True) == "ordered"
    with pytest.raises(BadInput, match="needs an order of 's'; state its levels, or use 'equal'"):
        stated.distance_of("s", "nominal", False)
    with pytest.raises(BadInput, match="needs a hierarchy of 's'"):
        mv.Anonymity(sensitive=["s"], t=0.2, distance="hierarchy").distance_of("s", "nominal", False)


def test_a_model_that_asks_for_nothing_is_refused():
    for asked in ({}, {"key_sets": [["a", "a"]]}):
        with pytest.raises(BadInput, match=r"asks for nothing|name each key of a set once"):
            mv.Anonymity(k=1, **asked)
    assert mv.Anonymity(k=1, average_risk=0.1).asked == "average_risk=0.1"
    assert mv.Anonymity(k=2, highest_risk=0.2).smallest == 5
