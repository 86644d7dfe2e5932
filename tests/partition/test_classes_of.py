"""Partitions that stop by an anonymity model."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.claims import Anonymity
from microveil.core.streams import Key, Streams
from microveil.data.class_rule import ClassRule
from microveil.data.table import Table, Values
from microveil.partition import MDAV, MST, Mondrian, Refined

STREAMS = Streams(Key.of(1))


def file(n=120):
    draw = np.random.default_rng(3)
    keys = Table(
        {
            "x": Values("continuous", draw.normal(size=n)),
            "g": Values("ordinal", draw.integers(0, 5, n), tuple("abcde")),
        },
        n,
    )
    return keys, Table({"s": Values("nominal", draw.integers(0, 4, n), tuple("pqrs"))}, n), draw.uniform(1, 9, n)


@pytest.mark.parametrize(
    "partition",
    [Mondrian(k=2), Mondrian(k=2, variant="published"), MDAV(k=2), MST(k=2), Refined(base=MDAV(k=2))],
    ids=repr,
)
@pytest.mark.parametrize(
    "model",
    [
        Anonymity(k=5),
        Anonymity(k=3, sensitive=["s"], l=3),
        Anonymity(k=3, sensitive=["s"], t=0.3),
        Anonymity(k=2, population=30),
    ],
    ids=lambda model: model.asked,
)
def test_no_class_breaks_the_model(partition, model):
    keys, given, weights = file()
    rule = ClassRule.of(model, given, weights)
    labels = partition.classes_of(keys, STREAMS, rule)
    assert not rule.broken(labels, labels.max() + 1).any()
    assert labels.max() > 0


def test_the_larger_k_counts():
    keys, given, weights = file()
    rule = ClassRule.of(Anonymity(k=3), given, weights)
    for partition in (Mondrian(k=7), MDAV(k=7)):
        assert np.bincount(partition.classes_of(keys, STREAMS, rule)).min() >= 7


def test_a_model_of_k_alone_changes_no_group():
    keys, given, weights = file()
    rule = ClassRule.of(Anonymity(k=4), given, weights)
    for partition in (Mondrian(k=4), Mondrian(k=4, variant="published"), MDAV(k=4)):
        assert (partition.classes_of(keys, STREAMS, rule) == partition.groups_of(keys, STREAMS)).all()
