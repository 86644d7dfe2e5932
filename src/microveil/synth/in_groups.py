"""Drawing inside groups: how it is asked for, and the plain way, one group after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from microveil.core.arrays import Bools, Ints
from microveil.core.errors import BadInput
from microveil.data.table import Table
from microveil.run.job import Job, Outcome
from microveil.run.parts import count_notes, group_parts, join_rows, run_parts

SmallGroups = Literal["error", "raise_k", "drop_kept", "pooled"]


@dataclass(frozen=True)
class InGroups:
    """How records are drawn in groups.

    `small_groups` says what happens where a group is too small to condition on the kept columns: it is an error, k was
    raised so that none is, the kept columns are left out there, or one regression serves all groups. `jitter_moments`
    is the uncertainty, in standard deviations of the group, left in moments that would else be exact.
    """

    small_groups: SmallGroups = "error"
    jitter_moments: float = 0.0


PLAINLY = InGroups()


class LeastGroup(NamedTuple):
    """The records that a group should have, and why so many, as a sum in words."""

    records: int
    why: str = ""


def draw_one_by_one(
    name: str, run: Callable[[Table, Job], Outcome], table: Table, job: Job, labels: Ints, bare: Bools | None = None
) -> Outcome:
    """The columns drawn anew in every group by itself; groups marked `bare` are drawn without the kept columns."""

    def checked(part: Table, its_job: Job) -> Outcome:
        outcome = run(part, its_job)
        _refuse_other_shape(name, outcome, part)
        # each new record stands in the place of one of the group
        return replace(outcome, origin=None, groups=None)

    ran = run_parts(group_parts(table, job, labels, bare=bare), checked, table.rows, job.engine)
    return join_rows(table, ran, count_notes(ran))


def _refuse_other_shape(name: str, outcome: Outcome, part: Table) -> None:
    """The rows of a group must come back as so many rows of the same columns with the same levels."""
    same = set(outcome.columns) == set(part.names) and all(
        len(values.data) == part.rows and values.levels == part[column].levels
        for column, values in outcome.columns.items()
    )
    if not same:
        raise BadInput(
            f"{name} returned other columns, levels or numbers of records than a group has; "
            "a group needs one new record for each"
        )
