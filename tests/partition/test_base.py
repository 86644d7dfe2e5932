from __future__ import annotations

import json

import numpy as np
import pytest

from microveil.core.errors import BadInput, BrokenPromise, MissingValues, NotEnoughRecords
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.partition import MDAV, VMDAV, Blocked, Partition

STREAMS = Streams(Key.of(1))


def test_one_dimension_is_one_column():
    assert MDAV(k=2).labels([1.0, 1.1, 5.0, 5.1]).tolist() == MDAV(k=2).labels([[1.0], [1.1], [5.0], [5.1]]).tolist()


def test_refusals_name_what_came():
    with pytest.raises(NotEnoughRecords, match="vmdav needs at least k=3 records; there are 2"):
        VMDAV(k=3).labels([[1.0], [2.0]])
    with pytest.raises(MissingValues, match=r"missing or infinite values in column 1 \(2\)"):
        VMDAV(k=2).labels([[1.0, np.nan], [2.0, np.inf], [3.0, 1.0]])
    with pytest.raises(BadInput, match=r"k must be 2 or more; 1 was given"):
        VMDAV(k=1)


def test_a_table_is_checked_too():
    few = Table.of_matrix(np.zeros((2, 1)))
    with pytest.raises(NotEnoughRecords, match="mdav needs at least k=3 records; there are 2"):
        MDAV(k=3).groups_of(few, STREAMS)
    with pytest.raises(BadInput, match="no column was given"):
        MDAV(k=3).groups_of(Table({}, 5), STREAMS)
    with pytest.raises(BadInput, match=r"infinite values in \['x1'\]"):
        MDAV(k=3).groups_of(Table.of_matrix(np.array([[1.0], [np.inf], [2.0]])), STREAMS)


def test_a_complete_table_of_numbers_is_grouped_like_its_matrix():
    X = np.random.default_rng(1).normal(size=(60, 3)) * [1.0, 100.0, 0.01]
    for partition in (MDAV(k=4), VMDAV(k=4), MDAV(k=4, standardise="range")):
        assert (partition.groups_of(Table.of_matrix(X), STREAMS) == partition.labels(X)).all()


def test_a_broken_promise_is_never_handed_out():
    class Broken(Partition, name="broken-for-this-test"):
        """Forms a group that is too small."""

        def kernel(self, X, streams):
            return np.arange(len(X))

    text = "formed 5 of 5 groups with fewer than k=3 records, the smallest of 1; nothing was grouped"
    with pytest.raises(BrokenPromise, match=text):
        Broken().labels(np.zeros((5, 1)))


def test_a_partition_on_top_takes_k_and_scale_of_its_base():
    blocked = Blocked(base=MDAV(k=5, standardise="range"), size=50)
    assert (blocked.k, blocked.standardise, blocked.random) == (5, "range", False)
    assert json.loads(json.dumps(blocked.to_spec())) == {
        "blocked": {"base": {"mdav": {"k": 5, "standardise": "range"}}, "size": 50}
    }
    with pytest.raises(TypeError):
        Blocked(k=3)


def test_levels_without_a_value_do_not_matter():
    codes = np.array([0, 0, 0, 7, 7, 7])
    few = Table({"a": Values("nominal", np.minimum(codes, 1), ("x", "y"))}, 6)
    many = Table({"a": Values("nominal", codes, tuple("xbcdefgyij"))}, 6)
    assert (VMDAV(k=3).groups_of(few, STREAMS) == VMDAV(k=3).groups_of(many, STREAMS)).all()
