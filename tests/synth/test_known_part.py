"""A random part of the records, and what all of them are held against."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.streams import Key, Streams
from microveil.data.extremes import tell_drawn_extremes, tell_ends
from microveil.data.table import Table, Values
from microveil.run.afar import Afar
from microveil.run.engine import LocalEngine
from microveil.run.job import Job
from microveil.synth.known_part import KnownPart

ROWS = 1000


def records(chunk: int, rows: int = ROWS) -> Afar:
    draw = np.random.default_rng(3)
    amounts = np.round(draw.normal(size=rows), 2)
    amounts[::9] = np.nan
    codes = np.where(np.arange(rows) == 7, 4, draw.integers(-1, 3, rows))
    table = Table({"x": Values("continuous", amounts), "c": Values("nominal", codes, tuple("abcde"))}, rows)
    given = Table({"g": Values("nominal", (np.arange(rows) == 5).astype(np.int64), ("often", "once"))}, rows)
    return Afar(table, Job(Streams(Key.of(2)), given, table, engine=LocalEngine(chunk_rows=chunk)))


def test_the_part_is_the_same_however_records_are_split():
    parts = [KnownPart.of(records(chunk), 100) for chunk in (1 << 17, 70, 999)]
    assert all(part.records == part.table.rows == part.given.rows == 100 for part in parts)
    assert len({part.places.tobytes() for part in parts}) == 1
    assert (np.diff(parts[0].places) > 0).all()
    for part in parts:
        assert np.array_equal(part.table["x"].data, records(1000).table["x"].data[part.places], equal_nan=True)


def test_a_column_that_is_called_like_the_part_draws_other_numbers():
    own = records(1000)
    least = np.sort(np.argsort(own.job.streams.at("part").uniforms(0, ROWS)[:, 0])[:100])
    assert KnownPart.of(own, 100).places.tolist() != least.tolist()


def test_every_record_is_as_likely():
    counts = np.zeros(50)
    for seed in range(400):
        own = records(1000, 50)
        job = Job(Streams(Key.of(seed)), own.job.given, own.table)
        counts[KnownPart.of(Afar(own.table, job), 10).places] += 1
    # 400 draws of a fifth: a standard deviation of 8
    assert counts.sum() == 4000
    assert np.abs(counts - 80).max() < 5 * 8


@pytest.mark.parametrize("rows", [1, 2, 10])
def test_of_few_records_all_are_taken(rows: int):
    assert KnownPart.of(records(3, rows), 10).places.tolist() == list(range(rows))


def test_what_the_part_lacks_is_counted_over_all_records():
    found = KnownPart.of(records(70), 100)
    places = found.places.tolist()
    assert found.unseen("g") == (5 not in places)
    assert found.unseen("c") == (7 not in places)
    assert KnownPart.of(records(70), ROWS).unseen("g") == 0


@pytest.mark.parametrize("values", [[3.0], [3.0, 3.0], [1.0, 2.0, 2.0], [5.25, -1.5, 5.25, np.nan, 8.0, 8.0], [np.nan]])
def test_ends_are_told_as_from_the_whole_column(values: list[float]):
    column = np.array(values)
    table = Table({"x": Values("continuous", column)}, len(column))
    whole = KnownPart.of(
        Afar(table, Job(Streams(Key.of(2)), Table({}, len(column)), table, engine=LocalEngine(1, 2))), 2
    )
    new = np.array([*column, 1.004])
    drawn = {"x": Values("continuous", new)}
    assert tell_ends({"x": whole.ends["x"].held_by(new)}) == tell_drawn_extremes(table, drawn)
