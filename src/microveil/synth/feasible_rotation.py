"""Exact moments inside the rules of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, CovariancesKept, EditHolds, MeansKept
from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.edits import Edit
from microveil.core.errors import BadInput
from microveil.core.open_types import Stated
from microveil.core.parameters import Grid, Range
from microveil.core.words import counted
from microveil.data.matrices import indicators, split_columns
from microveil.data.table import Table
from microveil.run.contract import Ties
from microveil.run.method import Job, Outcome
from microveil.synth.base import Synthesiser, no_origin
from microveil.synth.came_back import CameBack, settle_copies
from microveil.synth.edit_bounds import bounds_of, note_left_alone, refuse_broken, rules_on, settle_ends, settle_sums
from microveil.synth.in_groups import PLAINLY, InGroups, LeastGroup
from microveil.synth.zero_patterns import Classes, zero_patterns

if TYPE_CHECKING:
    from microveil.kernels.rotation.feasible import Drawn

_LEAST_PATTERN = 20  # records that share their zeros where there are no groups: fewer join others
_MANY = 50  # records of a group: in larger ones a few large records have no others like them


@dataclass(frozen=True, kw_only=True)
class FeasibleRotation(Synthesiser, name="feasible-rotation"):
    """Redraw columns with their means and covariances exactly as they are, and every rule of the data kept.

    Use it where amounts may not fall below zero, parts must add up to their total, or one amount bounds another: state
    these as `edits` of the data. Records are turned three at a time by an angle drawn among those that keep all rules,
    until nothing is left of where they stood; without rules this is IPSO. Columns given are kept, with all covariances.
    """

    sweeps: Annotated[
        int, Range(ge=1, grid=(10, 30)), "times that every record is turned at first; more where they are not enough"
    ] = 10
    zeros: Annotated[
        Literal["keep", "move"],
        Grid(("keep", "move")),
        "amounts of 0 that a rule bounds: records are grouped with those that have the same zeros, which stay (those "
        "whose zeros fewer than a group share join the nearest), or zeros move like any amount",
    ] = "keep"

    came_back: Annotated[
        CameBack | None,
        Grid((None, "average")),
        "records that rules leave no room, so that they come back as one of their group or nearly: their groups are "
        "averaged, which gives up exact covariances, or they are told; left out, averaged where more than one in a "
        "hundred would come back",
    ] = None

    conditions: ClassVar[bool] = True
    ties_record: ClassVar[Ties] = "kept"
    returns_determined: ClassVar[bool] = True
    example: ClassVar[Stated] = {"sweeps": 5}
    reference = "docs/edits.md"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means and covariances, also with the kept columns; what it says of rules depends on these."""
        return (MeansKept(), CovariancesKept())

    def run(self, table: Table, job: Job) -> Outcome:
        """Redraw all records together; without kept columns they are synthetic."""
        classes = self.classes_in(table, job, _LEAST_PATTERN)
        labels = np.zeros(table.rows, dtype=np.int64) if classes is None else classes.labels
        found = self.draw_in_groups(table, job, labels)
        found = found if classes is None else replace(found, notes=(*classes.notes, *found.notes))
        return found if job.given.names else replace(found, origin=no_origin(table.rows))

    # -- in groups -------------------------------------------------------------------------------

    def refuse_in_groups(self, how: InGroups = PLAINLY) -> None:
        """A larger k is as good here; there is no regression to pool, and exact moments carry the rules."""
        super().refuse_in_groups(replace(how, small_groups="error") if how.small_groups == "raise_k" else how)

    def least_group(self, table: Table, given: Table) -> LeastGroup:
        """One record for the mean, one for each kept column, and two at least to turn the others in."""
        kept, free = indicators(given, table.rows).shape[1], max(2, len(table.names))
        return LeastGroup(1 + kept + free, f"1 + {kept} for the columns kept + {free} free dimensions")

    def refuse_groups_of(self, k: int, given: Table) -> None:
        """Groups of k must leave a plane to turn records in: the original would come back."""
        kept = len(given.names)
        if k < kept + 3:
            raise BadInput(
                f"k={k} with {counted(kept, 'kept column')}: {self.name} turns {kept + 3} records at a time and would "
                f"return the original; take k >= {kept + 3} or keep fewer columns (given; none unless you name them)"
            )

    def classes_in(self, table: Table, job: Job, k: int) -> Classes | None:
        """Records with the same zeros form groups with one another."""
        if self.zeros == "move":
            return None
        return zero_patterns(table, [edit for edit in job.edits if set(edit.columns) <= set(table.names)], k)

    def find_still_groups(self, table: Table, job: Job, labels: Ints) -> Bools:
        """Groups in which the rules leave no record room to move."""
        from microveil.kernels.rotation.feasible import draw_feasible

        kept = rules_on(job.edits, table, job.given)
        refuse_broken(kept, table, job.given)
        S, bounds = indicators(job.given, table.rows), bounds_of(kept, table, job.given)
        drawn = draw_feasible(table.matrix(), bounds, S, labels, job.streams.at("room"), sweeps=1)
        return np.asarray(drawn.room == 0)

    def draw_in_groups(self, table: Table, job: Job, labels: Ints, how: InGroups = PLAINLY) -> Outcome:
        """The records of every group turned about, inside the rules that speak of nothing but columns at hand."""
        from microveil.kernels.rotation.feasible import draw_feasible

        self.refuse_in_groups(how)
        kept = rules_on(job.edits, table, job.given)
        refuse_broken(kept, table, job.given)
        S = indicators(job.given, table.rows)
        bounds = bounds_of(kept, table, job.given)
        X = table.matrix()
        drawn = draw_feasible(X, bounds, S, labels, job.streams.at("rotation"), self.sweeps)
        # beside kept columns a mean of records need not keep the rules, and every record is told by them anyway
        came_back = "tell" if S.shape[1] else self.came_back
        turned = settle_ends(drawn.values, kept, table)
        settled = settle_copies(turned, X, labels, drawn.source, _equations(kept, table.names), came_back)
        claims = [*self.claims_in_groups(table.names, how), *(EditHolds.of(edit) for edit in kept)]
        if not settled.exact:
            claims = [claim for claim in claims if not isinstance(claim, CovariancesKept)]
        notes = (*_notes(drawn, table.rows, settled.exact), *settled.notes, *note_left_alone(job.edits, kept, table))
        new = settle_sums(settled.values, kept, table, job.given)
        return Outcome(split_columns(new, table), notes=notes, claims=tuple(claims))


def _equations(edits: Sequence[Edit], names: Sequence[str]) -> Floats:
    """The coefficients of the rules with =, a row each, by column."""
    rows = [[edit.number(name) for name in names] for edit in edits if edit.equal]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(names))


def _notes(drawn: Drawn, records: int, exact: bool) -> tuple[str, ...]:
    groups = len(drawn.room)
    turned = f"{counted(groups, 'group')} turned inside the rules, every record {drawn.sweeps} times or more"
    notes = [f"{turned}; new records correlate {drawn.likeness:.2f} with those that they came from"]
    if exact and not drawn.forgotten:
        remedy = "take groups of similar records (micro-hybrid)" if groups == 1 else "take a larger k"
        if groups > 1 and records > _MANY * groups:
            remedy = "take a smaller k, so that records of a group are more alike"
        notes.append(
            f"the rules leave little room: the new values resemble the old ones (a correlation of {drawn.likeness:.2f} "
            f"inside groups), whoever of a group they stand for; {remedy}, or keep fewer columns"
        )
    return tuple(notes)
