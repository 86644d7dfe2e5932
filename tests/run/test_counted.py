"""The different rows of a file and their counts, in as many passes as it takes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.run.counted import CountedFile, count_rows
from microveil.run.engine import LocalEngine
from microveil.run.job import Job

DRAW = np.random.default_rng(3)
KEYS = Table(
    {
        "age": Values("continuous", DRAW.integers(20, 24, 90) / 2),
        "sex": Values("nominal", DRAW.integers(-1, 2, 90), ("m", "f")),
    },
    90,
)
GIVEN = Table({"pay": Values("continuous", DRAW.integers(0, 3, 90) * 1.0)}, 90)
WEIGHTS = DRAW.integers(1, 3, 90) * 0.5


def counted(rows: int, weighted: bool = True) -> CountedFile:
    job = Job(Streams(Key.of(1)), GIVEN, KEYS, WEIGHTS if weighted else None, engine=LocalEngine(2, rows))
    return count_rows(KEYS, job, "test", ["pay"], True)


@pytest.mark.parametrize("rows", [7, 1000])
def test_rows_are_counted_whatever_the_blocks(rows: int) -> None:
    found = counted(rows)
    columns = (KEYS["age"].data, KEYS["sex"].data, GIVEN["pay"].data, WEIGHTS)
    assert found.weights is not None
    told = zip(found.table["age"].data, found.table["sex"].data, found.given["pay"].data, found.weights, strict=True)
    assert dict(zip(told, found.counts.tolist(), strict=True)) == Counter(zip(*columns, strict=True))
    assert found.records == 90
    places = found.keys.places(KEYS)
    np.testing.assert_array_equal(found.keys.table()["age"].data[places], KEYS["age"].data)
    np.testing.assert_array_equal(np.bincount(places), found.keys.rows.counts)
    np.testing.assert_array_equal(found.table["sex"].data[found.first_of_keys], found.keys.table()["sex"].data)


def test_too_many_rows_and_weights_that_are_not_there_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="role 'weight'"):
        counted(50, weighted=False)
    monkeypatch.setattr("microveil.kernels.summaries.rows.MOST_ROWS", 5)
    with pytest.raises(BadInput, match=r"test counts different rows of age, sex, pay.*recode.*by=") as told:
        counted(50)
    assert "there are more" in str(told.value)
