"""New categories inside groups: rows of them change places, or each is drawn from those of its group."""

from __future__ import annotations

from typing import Literal

import numpy as np

from microveil.claims import Claim, TableKept, ValuesKept
from microveil.core.arrays import Labels
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.mask.swap_in_groups import permute_in_groups
from microveil.run.job import Job, Outcome
from microveil.synth.base import Synthesiser

Way = Literal["permute", "multinomial"] | Synthesiser | None


def new_categories(way: Way, table: Table, job: Job, labels: Labels) -> Outcome:
    """The columns replaced in every group in this way (None: permuted), with notes and what they keep."""
    if isinstance(way, Synthesiser):
        return way.draw_in_groups(table, job, labels)
    listed = ", ".join(table.names)
    if way == "multinomial":
        note = f"{listed}: drawn from the categories of the group, each column by itself"
        return Outcome(draw_from_margins(table, labels, job.streams), notes=(note,), claims=())
    note = (
        f"{listed}: whole rows change places inside groups, so that every combination of these columns stays in "
        "the file, and an intruder who knows all other members of a group can infer the remaining one"
    )
    return Outcome(permute_rows(table, labels, job.streams), notes=(note,), claims=_of_permuted_rows(table.names))


def permute_rows(table: Table, labels: Labels, streams: Streams) -> dict[str, Values]:
    """Whole rows of the columns at random places inside their group: every table of a group stays."""
    source = permute_in_groups(labels, streams)
    return {name: values.take(source) for name, values in table.columns.items()}


def draw_from_margins(table: Table, labels: Labels, streams: Streams) -> dict[str, Values]:
    """Each column drawn by itself from its distribution in the group: no combination of a record is kept together."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    first = np.cumsum(sizes) - sizes
    drawn = {}
    for name, values in table.columns.items():
        place = (streams.at(name).uniforms(0, table.rows)[:, 0] * sizes[labels]).astype(np.int64)
        drawn[name] = values.take(order[first[labels] + place])
    return drawn


def _of_permuted_rows(columns: tuple[str, ...]) -> tuple[Claim, ...]:
    """Every column keeps its values, and several columns their joint table."""
    return (ValuesKept(), TableKept(columns=columns)) if len(columns) > 1 else (ValuesKept(),)
