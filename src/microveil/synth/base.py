"""Bases of synthesisers: methods that draw new records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Claim
from microveil.claims.unions import of_union
from microveil.core.arrays import Bools, Ints
from microveil.core.errors import BadInput
from microveil.core.families import Family
from microveil.core.parameters import Range
from microveil.data.table import Table, Values
from microveil.run.afar import Afar
from microveil.run.by_ranks import Making
from microveil.run.method import Job, Method, Outcome, depends
from microveil.synth.in_groups import PLAINLY, InGroups, LeastGroup, draw_one_by_one
from microveil.synth.zero_patterns import Classes

SYNTH = Family("synth", title="Synthetic data", one="synthesiser", order=30)


@dataclass(frozen=True, kw_only=True)
class Synthesiser(Method, family=SYNTH):
    """Base of all synthesisers.

    A synthesiser that implements `run` can also draw inside groups: every group by itself. One that can do better in
    groups, or needs something of them, says so by the hooks below; hybrids ask these and know no synthesiser by name.
    """

    attacks: ClassVar[tuple[str, ...]] = (
        "attribute-inference",
        "membership-inference",
    )
    as_many: ClassVar[bool] = True  # whether as many records come back as were given
    # whether a number that the kept columns determine in a group comes back there as it was
    returns_determined: ClassVar[bool] = False

    def refuse_in_groups(self, how: InGroups = PLAINLY) -> None:
        """Refuse to replace the records of groups, each by a new one, in this way."""
        if how.small_groups != "error":
            raise BadInput(
                f"small_groups={how.small_groups!r} is about a regression on the columns kept and {self.name} fits "
                "none in groups; leave small_groups out, or use ipso"
            )
        if how.jitter_moments > 0:
            raise BadInput(
                f"jitter_moments={how.jitter_moments:g} moves moments that are exact in groups and {self.name} has no "
                "way to do so; leave jitter_moments out, or use ipso"
            )

    def least_group(self, table: Table, given: Table) -> LeastGroup:
        """The records that a group needs for these columns to be drawn well beside the kept ones."""
        return LeastGroup(1)

    def refuse_groups_of(self, k: int, given: Table) -> None:
        """Refuse groups of k records beside these kept columns, where that is known before they are formed."""

    def classes_in(self, table: Table, job: Job, k: int) -> Classes | None:
        """Classes of records that are to form groups of k with one another only; None: all may."""
        return None

    def find_still_groups(self, table: Table, job: Job, labels: Ints) -> Bools:
        """Which groups would come back as they are, though their records differ; labels number the groups from 0."""
        return np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.bool_)

    def exact_in_groups(self, columns: tuple[str, ...], how: InGroups = PLAINLY) -> tuple[Claim, ...]:
        """What holds exactly in every group."""
        return self.claims(columns)

    def claims_in_groups(self, columns: tuple[str, ...], how: InGroups = PLAINLY) -> tuple[Claim, ...]:
        """What holds exactly of a file drawn in groups; `draw_in_groups` may find that less does."""
        return of_union(self.exact_in_groups(columns, how))

    def draw_in_groups(self, table: Table, job: Job, labels: Ints, how: InGroups = PLAINLY) -> Outcome:
        """The records of each group drawn anew in their places, with what is kept; labels number groups from 0."""
        self.refuse_in_groups(how)
        return self._one_by_one(table, job, labels, how)

    def _one_by_one(self, table: Table, job: Job, labels: Ints, how: InGroups, bare: Bools | None = None) -> Outcome:
        """Every group by itself; those marked `bare` without the kept columns."""
        if not self.conditions:
            bare = np.ones(int(labels.max(initial=-1)) + 1, dtype=np.bool_)
        found = draw_one_by_one(self.name, self.run, table, job, labels, bare)
        kept = self.claims_in_groups(table.names, how) if found.claims is None else of_union(found.claims)
        return replace(found, claims=kept)


@dataclass(frozen=True, kw_only=True)
class FullSynthesiser(Synthesiser):
    """Base of synthesisers whose records belong to nobody; they take all columns unless some are named."""

    records: Annotated[
        int | None, Range(ge=1), "synthetic records to draw (inside subdomains: in each); none: as many as the original"
    ] = None

    as_many: ClassVar[bool] = depends(True, lambda synthesiser: synthesiser.records is None)
    default_roles: ClassVar[tuple[str, ...]] = ()

    def refuse_in_groups(self, how: InGroups = PLAINLY) -> None:
        """A group has the records it has."""
        if not self.as_many:
            raise BadInput(
                f"records={self.records} of {self.name}: a group gets as many records as it has; leave records out"
            )
        super().refuse_in_groups(how)

    def draw(self, table: Table, records: int, job: Job) -> tuple[Mapping[str, Values], tuple[str, ...]]:
        """The columns of the synthetic records, with notes."""
        raise TypeError(f"{type(self).__name__} must implement draw()")

    def run(self, table: Table, job: Job) -> Outcome:
        """Draw the records; none of them comes from a record given."""
        records = self.number_of(table.rows)
        # they stand in nobody's place: their numbers are not those of the records given
        columns, notes = self.draw(table, records, replace(job, streams=job.streams.by_rank()))
        return Outcome(columns, origin=no_origin(records), notes=notes)

    def number_of(self, given: int) -> int:
        """How many records are drawn from so many."""
        return given if self.records is None else self.records

    def making(
        self,
        made: Afar,
        columns: Callable[[Table, Job], Mapping[str, Values]],
        names: tuple[str, ...],
        notes: tuple[str, ...] = (),
    ) -> Making:
        """How the records are drawn where not all of them are in memory; `names` are those of the columns."""
        return Making.of(made, columns, Outcome({}, notes=notes, claims=self.claims(names)))


def no_origin(records: int) -> Ints:
    """The origin of synthetic records."""
    return np.full(records, -1, dtype=np.int64)
