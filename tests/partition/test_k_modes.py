"""Clusters around typical records, and weights of columns in a distance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.partition import MDAV, Consensus, KModes, Refined

STREAMS = Streams(Key.of(1))


def two_ways(n=180):
    """Records that belong together by one column, and otherwise by the other."""
    first, second = np.arange(n) % 6, np.arange(n) // (n // 6)
    return Table({"a": Values("nominal", first, tuple("stuxyz")), "b": Values("nominal", second, tuple("opqrst"))}, n)


@pytest.mark.parametrize("partition", [KModes(k=10), MDAV(k=10)], ids=lambda partition: partition.name)
def test_weights_say_which_column_counts(partition):
    table = two_ways()

    def alike(name, weights):
        """The records that have the most frequent value of their group."""
        labels = replace(partition, weights=weights).groups_of(table, STREAMS)
        return sum(np.bincount(table[name].data[labels == g]).max() for g in range(labels.max() + 1))

    first, second = {"a": 100.0, "b": 0.01}, {"a": 0.01, "b": 100.0}
    assert alike("a", first) > alike("a", second) + 10
    assert alike("b", second) > alike("b", first) + 10


@pytest.mark.parametrize("cls", [KModes, MDAV])
def test_weights_go_by_names(cls):
    partition = cls(k=3, weights={"income": 2.0})
    with pytest.raises(BadInput, match=r"weights name \['income'\], not among the columns to group \['a', 'b'\]"):
        partition.groups_of(two_ways(), STREAMS)
    with pytest.raises(BadInput, match="go by the names of columns"):
        partition.labels(np.arange(9.0))
    assert partition.among(["a", "b"]) == cls(k=3)
    both = Consensus(partitions=(partition, MDAV()))
    assert both.among(["a", "b"]) == Consensus(partitions=(cls(k=3), MDAV()))
    assert Refined(base=MDAV(weights={"a": 2, "c": 3})).among(["a"]).base == MDAV(weights={"a": 2})


def test_clusters_are_typical_records():
    draw = np.random.default_rng(1)
    kind = draw.integers(0, 3, size=90)
    columns = {
        name: Values("nominal", np.where(draw.random(90) < 0.1, draw.integers(0, 3, 90), kind), tuple("xyz"))
        for name in "abcdef"
    }
    labels = KModes(k=20).groups_of(Table(columns, 90), STREAMS)
    shares = [np.bincount(kind[labels == g]).max() / (labels == g).sum() for g in range(labels.max() + 1)]
    assert min(shares) >= 0.8
