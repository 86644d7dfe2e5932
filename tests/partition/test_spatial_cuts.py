"""Cuts into blocks of near records: balanced, and the same whatever the order of the records or the engine."""

from __future__ import annotations

import numpy as np

from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.partition.spatial_cuts import find_cuts
from microveil.run.engine import LocalEngine
from microveil.run.job import Job

X = np.random.default_rng(2).normal(size=(1000, 3)) * [1.0, 50.0, 1.0]


def job_of(table: Table, streams: Streams | None = None, rows: int = 64) -> Job:
    return Job(streams or Streams(Key.of(1)), Table({}, table.rows), table, engine=LocalEngine(chunk_rows=rows))


def cut(table: Table, size: int, least: int, streams: Streams | None = None, rows: int = 64):
    return find_cuts(table, job_of(table, streams, rows), size, least)


def test_every_record_is_in_one_block_of_about_the_size() -> None:
    table = Table.of_matrix(X)
    cuts = cut(table, 100, 25)
    assert cuts is not None
    numbers = cuts.blocks_of(table, job_of(table))
    assert np.bincount(numbers).tolist() == list(cuts.sizes)
    assert sum(cuts.sizes) == 1000
    assert min(cuts.sizes) >= 50
    assert max(cuts.sizes) <= 100
    # near ones together: in a block the widest column spreads far less than in the file
    scaled = X / X.std(axis=0)
    assert np.mean([scaled[numbers == one].std(axis=0).mean() for one in range(len(cuts.sizes))]) < 0.7


def test_neither_order_nor_chunks_matter() -> None:
    table, order = Table.of_matrix(X), np.random.default_rng(5).permutation(1000)
    cuts = cut(table, 100, 25)
    other = cut(table.take(order), 100, 25, Streams(Key.of(1)).of_rows(order), rows=7)
    assert cuts is not None
    assert other is not None
    taken = table.take(order)
    found = other.blocks_of(taken, job_of(taken))
    np.testing.assert_array_equal(cuts.blocks_of(table, job_of(table))[order], found)


def test_equal_records_stay_together_and_small_blocks_are_joined() -> None:
    ties = np.repeat([0.0, 1.0, 2.0], [700, 290, 10])
    codes = Values("nominal", np.where(ties == 2, -1, 0), ("a",))
    table = Table({"x": Values("continuous", ties), "class": codes}, 1000)
    cuts = cut(table, 100, 25)
    assert cuts is not None
    assert sorted(cuts.sizes) == [300, 700]
    assert cut(Table.of_matrix(np.ones((500, 2))), 100, 25) is None
    assert cut(Table.of_matrix(X[:100]), 100, 25) is None
