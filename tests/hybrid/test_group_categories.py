"""New categories inside groups."""

from __future__ import annotations

import numpy as np

from microveil.claims import TableKept, ValuesKept
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.hybrid.groups import new_categories
from microveil.run.job import Job
from microveil.synth import Cart

LABELS = np.repeat([0, 1], 30)
# letters a to c in the first group, d to f in the second; the second column follows the first
CODES = np.concatenate([np.arange(30) % 3, 3 + np.arange(30) % 3])
TABLE = Table({"c": Values("nominal", CODES, tuple("abcdef")), "d": Values("nominal", CODES // 2, tuple("xyz"))}, 60)
JOB = Job(Streams(Key.of(1)), Table({}, 60), TABLE)


def pairs(columns: dict[str, Values], rows: np.ndarray) -> list[tuple[int, int]]:
    return sorted(zip(columns["c"].data[rows].tolist(), columns["d"].data[rows].tolist(), strict=True))


def test_rows_change_places_inside_their_group() -> None:
    found = new_categories(None, TABLE, JOB, LABELS)
    for rows in (np.arange(30), np.arange(30, 60)):
        assert pairs(dict(found.columns), rows) == pairs(dict(TABLE.columns), rows)
    assert not np.array_equal(found.columns["c"].data, CODES)
    assert found.claims == (ValuesKept(), TableKept(("c", "d")))
    assert new_categories("permute", TABLE.only(["c"]), JOB, LABELS).claims == (ValuesKept(),)


def test_columns_are_drawn_from_their_group_each_by_itself() -> None:
    found = new_categories("multinomial", TABLE, JOB, LABELS)
    assert set(found.columns["c"].data[:30]) == {0, 1, 2}
    assert set(found.columns["c"].data[30:]) == {3, 4, 5}
    # combinations are not kept together
    assert any(
        pair not in pairs(dict(TABLE.columns), np.arange(60)) for pair in pairs(dict(found.columns), np.arange(60))
    )
    assert found.claims == ()


def test_a_synthesiser_draws_them_in_groups() -> None:
    found = new_categories(Cart(), TABLE, JOB, LABELS)
    assert set(found.columns["c"].data[:30]) <= {0, 1, 2}
    assert set(found.columns["c"].data[30:]) <= {3, 4, 5}
