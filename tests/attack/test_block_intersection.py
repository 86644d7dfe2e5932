"""Intersection of averages by blocks: measured figures on Census, and a file that one can read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import BlockIntersection
from microveil.attack.block_intersection import blocks_of
from microveil.attack.masked import find_masked
from microveil.attack.view import look
from microveil.mask import Microaggregation
from microveil.partition import MDAV


def test_four_blocks_of_census(census):
    """Nearest 94 %, one-to-one 99 %, as plain linkage finds; knowing the blocks finds a little more."""
    mask = Microaggregation(partition=MDAV(k=10), blocks=3)
    release = mask.apply(census, columns=census.column_names, seed=1)
    found = BlockIntersection()(census, release).parts
    assert found["nearest"] == pytest.approx(94, abs=1)
    assert found["one-to-one"] >= 99
    assert found["nearest by blocks"] > found["nearest"]
    assert found["certain"] > 30
    assert found["precision"] > 0.99


def test_blocks_that_the_data_decided_are_seen_in_the_release(census):
    columns = census.column_names
    mask = Microaggregation(partition=MDAV(k=10), blocks=4, order="correlation")
    release = mask.apply(census, columns=columns, seed=1)
    view, _ = look(mv.measure.Pair.of(census, release), columns, whole_release=True)
    (masked,) = find_masked(view, "block-intersection", None, "")
    table = mv.Microdata(census)
    X = np.column_stack([table.values(name).numbers for name in columns])
    from microveil.mask.blocks import blocks_in_order, order_by_correlation

    true = blocks_in_order(order_by_correlation(X, columns, 4), 4)
    assert {frozenset(block) for block in blocks_of(view, masked)} == {frozenset(block) for block in true}


def test_one_block_needs_no_intersection(census):
    release = Microaggregation(partition=MDAV(k=10)).apply(census, columns=census.column_names, seed=1)
    assert "no step of this release" in BlockIntersection()(census, release).reason
    assert not BlockIntersection.concerns(mv.measure.Pair.of(census, release))


def test_by_hand():
    """Two averages in each of two blocks, crossed: each combination is shown by one record alone."""
    data = pa.table({"a": [0.0, 1.0, 10.0, 11.0], "b": [0.0, 10.0, 1.0, 11.0]})
    released = pa.table({"a": [0.5, 0.5, 10.5, 10.5], "b": [0.5, 10.5, 0.5, 10.5]})
    found = BlockIntersection(blocks=[["a"], ["b"]])(data, released)
    assert found.value == found.parts["certain"] == 100.0
    assert found.parts["precision"] == 1.0
    half = BlockIntersection(blocks=[["a"]], known=["a"])(data, released)
    assert half.value == 50.0
    assert half.parts["certain"] == 0.0
