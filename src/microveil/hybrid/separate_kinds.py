"""Separate runs for each kind of columns, joined by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from microveil.data.schema import KINDS
from microveil.data.table import Table
from microveil.run.job import Job, Outcome
from microveil.run.parts import Ran, join_columns, part_of, run_parts


def by_kinds(run: Callable[[Table, Job, str], Outcome], table: Table, job: Job) -> Outcome:
    """Run a method on the columns of each kind.

    There are no common groups: somebody who knows columns of two kinds looks for the records that are in the right
    group of each, and these may be few.
    """
    of_kind = {kind: [name for name in table.names if table[name].kind == kind] for kind in KINDS}
    parts = [part_of(table, job, (kind,), names=names, label=kind) for kind, names in of_kind.items() if names]
    ran = run_parts(
        parts, lambda part, its: run(part, its, part[part.names[0]].kind), table.rows * len(parts), job.engine
    )
    if len(ran) == 1:
        return ran[0].outcome
    whole = join_columns(table, ran)
    return replace(whole, notes=(*whole.notes, _tell_intersection(ran)))


def _tell_intersection(ran: Sequence[Ran]) -> str:
    """How many records are alone, or nearly so, once the groupings of all kinds are intersected."""
    from microveil.kernels.grouping.consensus import intersection

    labels = intersection([part.outcome.groups for part in ran if part.outcome.groups is not None])
    sizes = np.bincount(labels)
    return (
        f"separate runs: {int((sizes == 1).sum())} of {len(labels)} records are alone once the groupings of all kinds "
        f"are intersected; the median record shares its groups with {int(np.median(sizes[labels])) - 1} others. An "
        "intruder who knows columns of several kinds can use this ('imposed' and 'consensus' have groups in common)"
    )
