"""A random part of a file: the same records and facts, however the file is cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.run.engine import LocalEngine
from microveil.run.job import Job
from microveil.run.random_part import gather_part

ROWS, MOST = 100, 12
STREAMS = Streams(Key.of(3)).at("step")
TABLE = Table(
    {
        "x": Values("continuous", np.arange(ROWS) / 4.0),
        "c": Values("nominal", np.where(np.arange(ROWS) == 70, -1, np.arange(ROWS) % 2), ("a", "b")),
    },
    ROWS,
)
GIVEN = Table({"g": Values("nominal", np.where(np.arange(ROWS) < 98, 0, 2), ("u", "v", "w"))}, ROWS)


def job(rows: int) -> Job:
    return Job(STREAMS, GIVEN, TABLE, engine=LocalEngine(chunk_rows=rows))


def test_the_records_with_the_smallest_words_are_fetched_in_the_order_of_the_file() -> None:
    words = STREAMS.at("part").words(0, ROWS)[:, 0]
    expected = np.sort(np.argsort(words)[:MOST])
    for rows in (1, 7, 1000):
        part = gather_part(TABLE, job(rows), MOST, "part")
        assert part.columns(TABLE)["x"].data.tolist() == (expected / 4.0).tolist()
        assert part.kept(GIVEN)["g"].data.tolist() == GIVEN["g"].data[expected].tolist()
        assert part.places.tolist() == expected.tolist()


def test_it_tells_what_no_part_would_tell() -> None:
    for rows in (7, 1000):
        part = gather_part(TABLE, job(rows), 1, "part")
        assert part.seen["g"].tolist() == [0, 2]
        assert part.gaps == {"x": False, "c": True}
        assert (part.ends.low.tolist(), part.ends.high.tolist()) == ([0.0], [24.75])


def test_places_are_those_of_the_file_where_records_were_left_out() -> None:
    rows = np.flatnonzero(np.arange(ROWS) % 3 > 0)
    some = replace(job(9).at_rows(rows, rows, TABLE.take(rows)), engine=LocalEngine(chunk_rows=9))
    part = gather_part(TABLE.take(rows), some, MOST, "part")
    assert part.columns(TABLE)["x"].data.tolist() == (part.places / 4.0).tolist()
    assert set(part.places) <= set(rows)


def test_what_is_made_of_it_is_made_once() -> None:
    part = gather_part(TABLE, job(50), MOST, "part")
    made: list[str] = []

    def make(what: str) -> list[str]:
        made.append(what)
        return made

    assert part.once("count", lambda: make("first")) is part.once("count", lambda: make("second"))
    assert made == ["first"]
