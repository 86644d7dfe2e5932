"""Systematic samples of records that are not all in memory: the records that are drawn where they are."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.streams import Key, Streams
from microveil.data.table import Table
from microveil.mask import stepped_records
from microveil.mask.sample import systematic
from microveil.mask.stepped_records import stepped_of
from microveil.run.engine import LocalEngine
from microveil.run.job import Job

STREAMS = Streams(Key.of("steps"))


@pytest.mark.parametrize("size", [1, 17, 60, 90])
@pytest.mark.parametrize("order", ["as in the file", "shuffled"])
def test_the_records_of_one_look(size: int, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepped_records, "STRETCH", 32)
    places = np.sort(np.random.default_rng(3).permutation(150)[:90])
    expected = places[systematic(np.full(90, size / 90), np.arange(90), 0.3)]
    if order == "shuffled":
        places = np.random.default_rng(1).permutation(places)
    table = Table({}, len(places))
    job = Job(STREAMS.of_rows(places), table, table, engine=LocalEngine(chunk_rows=7))
    known = stepped_of(table, job, size, 0.3)
    drawn: list[int] = []
    for rows in np.split(np.arange(90), [1, 50]):
        some = places[rows]
        drawn += some[known.among(len(rows), Job(STREAMS.of_rows(some), table, table))].tolist()
    assert sorted(drawn) == expected.tolist()
    assert known.drawn == size
