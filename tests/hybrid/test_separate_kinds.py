"""Runs for each kind of columns."""

from __future__ import annotations

import numpy as np

from microveil.claims import GroupsAtLeast, MeansKept
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.hybrid.separate_kinds import by_kinds
from microveil.run.job import Job, Outcome

TABLE = Table(
    {
        "c": Values("nominal", np.array([0, 1, 0, 1]), ("a", "b")),
        "x": Values("continuous", np.arange(4.0)),
        "d": Values("nominal", np.array([1, 1, 0, 0]), ("a", "b")),
    },
    4,
)
JOB = Job(Streams(Key.of(1)), Table({}, 4), TABLE)
GROUPS = {"continuous": np.array([0, 0, 1, 1]), "nominal": np.array([0, 1, 1, 1])}


def grouped(part: Table, job: Job, kind: str) -> Outcome:
    assert job.streams == JOB.streams.at(kind)
    return Outcome(part.columns, GROUPS[kind], notes=("ran",), claims=(MeansKept(), GroupsAtLeast(k=2)))


def test_kinds_run_apart_and_have_no_groups_in_common() -> None:
    found = by_kinds(grouped, TABLE, JOB)
    assert list(found.columns) == ["c", "x", "d"]
    assert found.groups is None
    assert found.claims == (MeansKept(("x",)), MeansKept(("c", "d")))
    assert found.notes[:2] == ("continuous: ran", "nominal: ran")
    # the first two records are alone, the others have one another
    assert found.notes[2].startswith("separate runs: 2 of 4 records are alone once the groupings of all kinds are")


def test_one_kind_is_a_run_like_any_other() -> None:
    found = by_kinds(grouped, TABLE.only(["x"]), JOB)
    assert found.groups is GROUPS["continuous"]
    assert found.notes == ("ran",)
