"""Separate runs for each kind of columns, joined by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from microveil.core.claims import GroupsAtLeast
from microveil.data.table import Table
from microveil.run.method import Outcome


def joined_by_row(runs: Mapping[str, Outcome], table: Table) -> Outcome:
    """One outcome from those of each kind.

    There are no common groups: somebody who knows columns of two kinds looks for the records that are in the right
    group of each, and these may be few.
    """
    if len(runs) == 1:
        return next(iter(runs.values()))
    columns = {name: values for run in runs.values() for name, values in run.columns.items()}
    notes = [f"{kind}: {note}" for kind, run in runs.items() for note in run.notes]
    claims = [
        claim.on(tuple(run.columns))
        for run in runs.values()
        for claim in run.claims or ()
        if not isinstance(claim, GroupsAtLeast)
    ]
    whole = Outcome({name: columns[name] for name in table.names}, claims=tuple(claims))
    return replace(whole, notes=(*notes, _in_common(runs)))


def _in_common(runs: Mapping[str, Outcome]) -> str:
    """How many records are alone, or nearly so, once the groupings of all kinds are intersected."""
    from microveil.kernels.grouping.consensus import intersection

    labels = intersection([run.groups for run in runs.values() if run.groups is not None])
    sizes = np.bincount(labels)
    return (
        f"separate runs: {int((sizes == 1).sum())} of {len(labels)} records are alone once the groupings of all kinds "
        f"are intersected; the median record shares its groups with {int(np.median(sizes[labels])) - 1} others. An "
        "intruder who knows columns of several kinds can use this ('imposed' and 'consensus' have groups in common)"
    )
