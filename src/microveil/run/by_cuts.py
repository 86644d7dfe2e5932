"""Methods that run in blocks of near records or of one cluster, each by itself: one at a time need be in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol

from microveil.claims.unions import of_union
from microveil.core.arrays import Ints
from microveil.data.table import Table, Values
from microveil.run.job import Job, Outcome
from microveil.run.method import Method
from microveil.run.parts import (
    Ran,
    common_notes,
    find_common_claims,
    join_rows,
    members_of,
    part_of,
    refuse_other_levels,
    run_parts,
)


class CutPart(NamedTuple):
    """How a block is called: the path of its streams, what stands before notes, and where errors are said to be."""

    path: tuple[str | int, ...]
    label: str
    place: str


class Cuts(Protocol):
    """Where a file is cut into blocks, known of all records."""

    @property
    def word(self) -> str:
        """What notes call a block."""

    def notes(self, tallies: Mapping[str, int]) -> tuple[str, ...]:
        """What is to be told of the cuts themselves, and of what was counted in all blocks."""

    @property
    def sizes(self) -> Sequence[int]:
        """The number of records of each block."""

    def called(self, number: int) -> CutPart:
        """How a block is called."""

    def blocks_of(self, table: Table, job: Job) -> Ints:
        """The block of each of some records, numbered from 0."""


@dataclass(frozen=True, kw_only=True)
class ByCuts(Method):
    """A method that may cut the file into blocks (`cuts`), of near records or clusters, and run each (`run_block`)."""

    def cuts(self, table: Table, job: Job) -> Cuts | None:
        """Where the file is cut, by `job.engine.gather`; None: it is not."""
        raise TypeError(f"{type(self).__name__} must implement cuts()")

    def run_block(self, table: Table, job: Job, cuts: Cuts) -> Outcome:
        """The records of one block of the file that is cut so."""
        raise TypeError(f"{type(self).__name__} must implement run_block()")

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """All records together."""
        raise TypeError(f"{type(self).__name__} must implement run_whole()")

    def refuse_blocks(self, blocks: Sequence[Mapping[str, Values]]) -> None:
        """Refuse columns of the blocks, of which no value is looked at, that cannot be one column again."""
        refuse_other_levels(blocks, self.name, "block")

    def run(self, table: Table, job: Job) -> Outcome:
        """Block by block where the file is cut."""
        cuts = self.cuts(table, job) if self.passes == "blocks" else None
        if cuts is None:
            return self.run_whole(table, job)
        parts = []
        for number, rows in enumerate(members_of(cuts.blocks_of(table, job))):
            called = cuts.called(number)
            parts.append(part_of(table, job, called.path, rows, place=called.place))
        ran = run_parts(parts, partial(self._claimed_block, cuts=cuts), table.rows, job.engine)
        self.refuse_blocks([{**table.columns, **one.outcome.columns} for one in ran])
        return _joined(join_rows(table, ran), ran, cuts)

    def _claimed_block(self, table: Table, job: Job, cuts: Cuts) -> Outcome:
        found = self.run_block(table, job, cuts)
        return found if found.claims is not None else replace(found, claims=self.claims(table.names))


def join_told(ran: Sequence[Ran], cuts: Cuts) -> Outcome:
    """What is told of all blocks together, without their records."""
    return _joined(join_rows(Table({}, 0), ran), ran, cuts)


def _joined(found: Outcome, ran: Sequence[Ran], cuts: Cuts) -> Outcome:
    """Notes with how many blocks they are about, and of what blocks keep what their union keeps."""
    notes = (*cuts.notes(found.tallies), *common_notes(ran, cuts.word))
    return replace(found, notes=notes, claims=of_union(find_common_claims(ran) or ()))
