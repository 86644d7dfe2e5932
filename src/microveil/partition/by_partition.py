"""Methods whose partition may cut the file into blocks of near records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from microveil.data.table import Table
from microveil.partition.base import Partition
from microveil.partition.blocked import Blocked
from microveil.partition.mdav import MDAV
from microveil.run.by_cuts import ByCuts, Cuts
from microveil.run.contract import depends
from microveil.run.job import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class ByPartition(ByCuts):
    """A method that forms groups in all records, or in each block by itself where the partition is `Blocked`."""

    partition: Partition

    way_out: ClassVar[str] = depends(
        "give partition='blocked' to form groups in blocks of near records", lambda method: blocked_alike(method)
    )

    def cuts(self, table: Table, job: Job) -> Cuts | None:
        """Those of a partition that cuts the file into blocks."""
        return self.partition.cuts_of(table, job) if isinstance(self.partition, Blocked) else None

    def run_block(self, table: Table, job: Job, cuts: Cuts) -> Outcome:
        """One block, grouped by the partition of blocks."""
        assert isinstance(self.partition, Blocked)
        return replace(self, partition=self.partition.inside(cuts)).run_whole(table, job)


def blocked_alike(method: ByPartition) -> str:
    """The same partition inside blocks: by itself `blocked` has another base, whose groups may be smaller."""
    base = method.partition.to_spec()
    spec = repr("blocked") if base == MDAV.name else {"blocked": {"base": base}}
    return f"give partition={spec} to form groups in blocks of near records"
