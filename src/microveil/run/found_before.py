"""What became of records in a step that was run before, where a block of a file cannot be run by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from microveil.core.arrays import Ints
from microveil.data.table import Table, Values
from microveil.run.job import Job, Outcome


@runtime_checkable
class FoundBefore(Protocol):
    """Stands in `Job.known` in place of what a method learnt, and answers in place of the method."""

    @property
    def told(self) -> Outcome:
        """Notes, claims and tallies of all records together."""

    def outcome(self, table: Table, job: Job) -> Outcome:
        """What became of some records."""


class Made(NamedTuple):
    """Records that a step made and that stand in a block: their columns and subdomains, and how many stand before."""

    columns: Mapping[str, Values]
    domains: Ints
    first: int
