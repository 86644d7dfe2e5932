"""Running a method cluster by cluster: rows, jobs, groups and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microveil.data.table import Table, Values
from microveil.hybrid.group_notes import unchanged_cells
from microveil.partition.base import Labels
from microveil.run.method import Job, Outcome

Rows = NDArray[np.int64]

_NOTES_SHOWN = 3


def members_of(labels: Labels) -> list[Rows]:
    """The rows of each cluster; labels number the clusters from 0."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.cumsum(np.bincount(labels))[:-1])


def job_in(job: Job, cluster: int, rows: Rows, given: bool = True) -> Job:
    """The job of one cluster, with streams of its own; without the kept columns if they are not `given`."""

    def taken(values: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if values is None else values[rows]

    return replace(
        job,
        streams=job.streams.at("cluster", cluster),
        given=job.given.take(rows) if given else Table({}, len(rows)),
        original=job.original.take(rows),
        weights=taken(job.weights),
        households=taken(job.households),
        around=job.around.take(rows),
    )


def numbered_through(outcomes: Sequence[Outcome], members: Sequence[Rows]) -> Labels | None:
    """Consecutive group labels over all parts of the rows, or None if the method formed no groups in some part."""
    groups, start = np.full(sum(map(len, members)), -1, dtype=np.int64), 0
    for outcome, rows in zip(outcomes, members, strict=True):
        if outcome.groups is None:
            return None
        groups[rows] = np.where(outcome.groups >= 0, outcome.groups + start, -1)
        start += int(outcome.groups.max()) + 1
    return groups


def gathered_notes(said: Counter[str]) -> tuple[str, ...]:
    """The notes on clusters, the most frequent ones with the number of clusters."""
    notes = [f"in {count} clusters: {note}" for note, count in said.most_common(_NOTES_SHOWN)]
    if len(said) > _NOTES_SHOWN:
        notes.append(f"there were {len(said) - _NOTES_SHOWN} other notes on single clusters")
    return tuple(notes)


def unchanged_note(table: Table, columns: Mapping[str, Values]) -> tuple[str, ...]:
    """How many records came back as they were: small or constant clusters leave little to do."""
    after = {name: columns.get(name, before) for name, before in table.columns.items()}
    if any(table[name].levels != values.levels for name, values in after.items()):
        return ()
    count = int(unchanged_cells(table, after).all(axis=1).sum())
    return (f"{count} of {table.rows} records came back unchanged",) if count else ()
