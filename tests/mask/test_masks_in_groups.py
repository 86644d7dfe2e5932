"""Masks that take many groups at once give what each group gives by itself, to the last bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.mask import Microaggregation, MultiplicativeNoise, Round, UncorrelatedNoise
from microveil.partition import MDAV, VMDAV
from microveil.run.job import Job
from microveil.run.parts import group_parts, join_rows, run_parts
from tests.streams import streams_of

DRAW = np.random.default_rng(3)
SIZES = [3, 4, 5, 20, 21, 22, 23, 40, 60]
AT_ONCE = [
    *(UncorrelatedNoise(distribution=shape) for shape in ("normal", "uniform", "laplace", "two-point")),
    *(UncorrelatedNoise(zero_stay=True), UncorrelatedNoise(p=0)),
    *(Round(base=0.5), Round(base=0.5, mode="random")),
    *(MultiplicativeNoise(), MultiplicativeNoise(kind="hoehne")),
    *(Microaggregation(), Microaggregation(operator="median"), Microaggregation(operator="trimmed")),
    Microaggregation(operator="weighted"),
]
ONE_BY_ONE = [
    *(UncorrelatedNoise(exact=True), Round(base=1, mode="controlled")),
    *(MultiplicativeNoise(kind="balanced"), MultiplicativeNoise(kind="log"), MultiplicativeNoise(rescale=True)),
    *(Microaggregation(partition=VMDAV()), Microaggregation(blocks=2), Microaggregation(operator="weighted")),
    *(Microaggregation(partition=MDAV(weights={"x": 2})), Microaggregation(partition=MDAV(k=4))),
]


def labelled():
    """Groups of many sizes among columns that are constant in a group, tied, far from zero and tiny."""
    labels = DRAW.permutation(np.repeat(np.arange(len(SIZES)), SIZES))
    x = DRAW.normal(size=len(labels))
    frame = pd.DataFrame({"x": x, "tied": DRAW.integers(0, 3, len(labels)).astype(float)})
    frame["far"], frame["tiny"], frame["same"] = 1e9 + x, 1e-300 * x, np.where(labels == 4, 7.1, x)
    return mv.Microdata(frame).table(list(frame)), labels


@pytest.mark.parametrize("mask", AT_ONCE, ids=repr)
@pytest.mark.parametrize("somewhere", [False, True])
def test_groups_at_once_are_the_groups_one_by_one(mask, somewhere):
    table, labels = labelled()
    streams = streams_of(5)
    if somewhere:  # the records at hand are some of a file
        streams = streams.of_rows(3 * np.arange(len(labels)) + 1)
    job = Job(streams, table.only([]), table, weights=DRAW.uniform(1, 9, len(labels)))
    at_once = mask.run_in_groups(table, job, labels)
    parts = run_parts(group_parts(table, job, labels), mask.run, table.rows, job.engine)
    one_by_one = join_rows(table, parts, ())
    for name in table.names:
        assert np.array_equal(at_once.columns[name].data, one_by_one.columns[name].data), name
    assert np.array_equal(at_once.groups, one_by_one.groups)


@pytest.mark.parametrize("mask", ONE_BY_ONE, ids=repr)
def test_what_asks_for_all_values_of_a_group_is_left_to_it(mask):
    table, labels = labelled()
    assert mask.run_in_groups(table, Job(streams_of(5), table.only([]), table), labels) is None


@pytest.mark.parametrize("mask", AT_ONCE, ids=repr)
def test_gaps_are_left_to_each_group(mask):
    table = mv.Microdata(pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0]})).table(["x"])
    assert mask.run_in_groups(table, Job(streams_of(5), table.only([]), table), np.array([0, 0, 1, 1])) is None


def test_a_group_of_one_record_is_left_to_the_refusal_of_each():
    table = mv.Microdata(pd.DataFrame({"x": [1.0, 2.0, 3.0]})).table(["x"])
    job = Job(streams_of(5), table.only([]), table)
    assert UncorrelatedNoise().run_in_groups(table, job, np.array([0, 0, 1])) is None
