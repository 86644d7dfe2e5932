"""IPSO (variant C) in all groups at once, with notes on the degrees of freedom it had."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Ints
from microveil.core.words import counted
from microveil.data.matrices import indicators, split_columns
from microveil.data.table import Table
from microveil.run.job import Job, Outcome


def small_groups_of(given: Table, labels: Ints, needed: int) -> Bools:
    """Which groups leave fewer free dimensions than are needed beside the kept columns."""
    from microveil.kernels.draws.groups import free_dimensions

    return np.asarray(free_dimensions(indicators(given, len(labels)), labels) < needed)


def turn_groups(
    table: Table, job: Job, labels: Ints, bare: Bools, rho: float | None, freedom: int, jitter: float
) -> Outcome:
    """The columns redrawn in every group; groups marked `bare` are redrawn without the kept columns."""
    from microveil.kernels.draws.groups import ipso_in_groups

    S = indicators(job.given, table.rows)
    notes: tuple[str, ...] = ()
    if bare.any():
        S = np.where(bare[labels][:, None], 0.0, S)  # constant columns bind nothing
        left_out = f"in {int(bare.sum())} of {len(bare)} groups, too small for them, the kept columns were left out"
        notes = (f"{left_out}: covariances with these are not exact",)
    streams = job.streams.at("groups")
    # the matrix lives no longer than the call: large files need the room
    new, free = ipso_in_groups(table.matrix(), S, labels, streams, rho, freedom, jitter)
    room = (
        f"{counted(len(free), 'group')}, in each of which at least {int(free.min())} values of a column were free to "
        "change (its records less one, less the columns kept)"
    )
    kept = 0 if bare.any() else len(job.given.names)
    warned = _few_directions(int(np.bincount(labels).min()), kept, len(table.names))
    return Outcome(split_columns(new, table), notes=(*notes, room, *warned))


def turn_pooled_groups(table: Table, job: Job, labels: Ints, rho: float | None, freedom: int, jitter: float) -> Outcome:
    """The columns redrawn by one regression for all groups, where these are too small for the columns kept."""
    from microveil.kernels.draws.pooled import ipso_pooled

    S, streams = indicators(job.given, table.rows), job.streams.at("groups")
    new, free = ipso_pooled(table.matrix(), S, labels, streams, rho, freedom, jitter)
    note = (
        f"groups are too small for the columns kept: one regression for all {int(labels.max()) + 1} groups, with "
        f"{free} free dimensions; means of groups and covariances of the file are kept, not those inside groups"
    )
    return Outcome(split_columns(new, table), notes=(note,))


def _few_directions(smallest: int, kept: int, replaced: int) -> tuple[str, ...]:
    wanted = kept + replaced + 3
    if smallest >= wanted:
        return ()
    few = f"groups of {smallest} records are below {wanted} (kept + replaced columns + 3)"
    return (f"{few}: few directions are left to redraw in, and records may come back close to the original",)
