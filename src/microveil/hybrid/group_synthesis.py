"""Any synthesiser inside the groups of a partition, one group after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from microveil.core.errors import BadInput
from microveil.data.table import Table, Values
from microveil.hybrid.clusters import gathered_notes, job_in, members_of
from microveil.partition.base import Labels
from microveil.run.method import Job, Outcome
from microveil.synth.base import Synthesiser


def drawn_in_groups(
    synthesiser: Synthesiser, table: Table, job: Job, labels: Labels, alone: NDArray[np.bool_] | None = None
) -> tuple[dict[str, Values], tuple[str, ...]]:
    """The columns drawn anew in every group, and what the synthesiser noted.

    Groups marked `alone` are drawn without the kept columns.
    """
    data = {name: values.data.copy() for name, values in table.columns.items()}
    said: Counter[str] = Counter()
    job = replace(job, original=job.original.only(table.names))
    for group, rows in enumerate(members_of(labels)):
        given = synthesiser.conditions and not (alone is not None and alone[group])
        try:
            outcome = synthesiser.run(table.take(rows), job_in(job, group, rows, given))
        except BadInput as problem:
            raise type(problem)(f"in group {group} of {len(rows)} records: {problem}") from None
        _check(synthesiser, outcome, table, len(rows))
        for name in table.names:
            data[name][rows] = outcome.columns[name].data
        said.update(outcome.notes)
    return {name: table[name].with_data(data[name]) for name in table.names}, gathered_notes(said)


def _check(synthesiser: Synthesiser, outcome: Outcome, table: Table, rows: int) -> None:
    """The rows of a group must come back as so many rows of the same columns with the same levels."""
    same = set(outcome.columns) == set(table.names) and all(
        len(values.data) == rows and values.levels == table[name].levels for name, values in outcome.columns.items()
    )
    if not same:
        raise BadInput(
            f"{synthesiser.name} returned other columns, levels or numbers of records than a group has; "
            "a group needs one new record for each"
        )
