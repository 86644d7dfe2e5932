"""Swapping in many groups at once gives what each group gives by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.mask import RankSwap
from microveil.run.job import Job
from microveil.run.parts import group_parts, join_rows, run_parts
from tests.streams import streams_of

DRAW = np.random.default_rng(3)


@pytest.mark.parametrize("pairing", ["argus", "uniform"])
def test_groups_at_once_are_the_groups_one_by_one(pairing):
    labels = DRAW.permutation(np.repeat(np.arange(9), [1, 2, 3, 20, 21, 22, 23, 40, 60]))
    n = len(labels)
    frame = pd.DataFrame({"x": DRAW.normal(size=n), "tied": DRAW.integers(0, 5, n).astype(float)})
    frame["size"] = np.array(["s", "m", "l"])[DRAW.integers(0, 3, n)]
    data = mv.Microdata(frame, levels={"size": ["s", "m", "l"]})
    table = data.table(["x", "tied", "size"])
    mask, job = RankSwap(p=30, pairing=pairing), Job(streams_of(5), table.only([]), table)
    at_once = mask.run_in_groups(table, job, labels)
    parts = run_parts(group_parts(table, job, labels), mask.run, n, job.engine)
    one_by_one = join_rows(table, parts, ())
    for name in table.names:
        assert at_once.columns[name].data.dtype == table[name].data.dtype
        assert np.array_equal(at_once.columns[name].data, one_by_one.columns[name].data)


def test_gaps_and_categories_without_an_order_are_left_to_each_group():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0], "sex": ["f", "m", "f", "m"]})
    data, labels = mv.Microdata(frame), np.array([0, 0, 1, 1])
    for name in ("x", "sex"):
        table = data.table([name])
        assert RankSwap().run_in_groups(table, Job(streams_of(1), table.only([]), table), labels) is None


def test_keys_of_many_streams_are_those_of_each():
    streams = streams_of(2).at("cluster")
    keys = streams.philox_keys(12, "income", "rank")
    for number in range(12):
        key = replace(streams, path=(*streams.path, number, "income", "rank")).philox_key
        assert keys[number].tolist() == [key & (2**64 - 1), key >> 64]
