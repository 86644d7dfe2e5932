"""Vectorised IPSO over all groups, with notes on the degrees of freedom it had."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microveil.core.words import counted
from microveil.data.table import Table, Values
from microveil.hybrid.group_notes import moved_moments, third_moments
from microveil.hybrid.small_groups import SmallGroups, dimensions_needed, too_small
from microveil.partition.base import Labels
from microveil.run.method import Job
from microveil.synth.base import indicators, split_columns
from microveil.synth.ipso import Ipso

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Turned:
    """New columns; `dropped`: in some group the kept columns were left out."""

    columns: dict[str, Values]
    notes: tuple[str, ...]
    dropped: bool = False


def turned_groups(
    ipso: Ipso, small_groups: SmallGroups, jitter: float, table: Table, job: Job, labels: Labels
) -> Turned:
    """The columns redrawn by IPSO in every group, or over all groups where these are too small and may be pooled."""
    from microveil.kernels.ipso_groups import ipso_in_groups

    T, S = table.matrix(), indicators(job.given, table.rows)
    generator = job.streams.at("groups").generator()
    small = np.zeros(0, dtype=np.bool_)
    if small_groups in ("drop_kept", "pooled"):
        small = too_small(S, labels, dimensions_needed(ipso, T.shape[1]))
    notes: tuple[str, ...] = ()
    if small.any() and small_groups == "pooled":
        return _pooled(ipso, jitter, table, T, S, labels, generator)
    if small.any():
        S = np.where(small[labels][:, None], 0.0, S)  # constant columns bind nothing
        left_out = f"in {int(small.sum())} of {len(small)} groups, too small for them, the kept columns were left out"
        notes = (f"{left_out}: covariances with these are not exact",)
    new, free = ipso_in_groups(T, S, labels, generator, ipso.rho, ipso.freedom, jitter)
    room = (
        f"{counted(len(free), 'group')}, in each of which at least {int(free.min())} values of a column were free to "
        "change (its records less one, less the columns kept)"
    )
    kept = 0 if small.any() else len(job.given.names)
    warned = _few_directions(int(np.bincount(labels).min()), kept, T.shape[1])
    if jitter > 0:
        moved: tuple[str, ...] = (moved_moments(T, new, labels),)
    else:
        moved = third_moments(T, new, labels, table.names)
    return Turned(split_columns(new, table), (*notes, room, *warned, *moved), bool(small.any()))


def _few_directions(smallest: int, kept: int, replaced: int) -> tuple[str, ...]:
    wanted = kept + replaced + 3
    if smallest >= wanted:
        return ()
    few = f"groups of {smallest} records are below {wanted} (kept + replaced columns + 3)"
    return (f"{few}: few directions are left to redraw in, and records may come back close to the original",)


def _pooled(
    ipso: Ipso, jitter: float, table: Table, T: Float, S: Float, labels: Labels, generator: np.random.Generator
) -> Turned:
    from microveil.kernels.ipso_pooled import ipso_pooled

    new, free = ipso_pooled(T, S, labels, generator, ipso.rho, ipso.freedom, jitter)
    note = (
        f"groups are too small for the columns kept: one regression for all {int(labels.max()) + 1} groups, with "
        f"{free} free dimensions; means of groups and covariances of the file are kept, not those inside groups"
    )
    moved = (moved_moments(T, new, labels),) if jitter > 0 else ()
    return Turned(split_columns(new, table), (note, *moved))
