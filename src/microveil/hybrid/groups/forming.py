"""Forming the groups in which records are drawn: large enough for the synthesiser, merged where nothing changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from microveil.core.arrays import Labels
from microveil.core.streams import Streams
from microveil.data.table import Table
from microveil.hybrid.groups.columns import consensus_groups
from microveil.hybrid.groups.degenerate import degenerate_among, merge_degenerate
from microveil.partition.base import Partition, PartitionOnTop
from microveil.partition.mixed import points_of
from microveil.synth.base import Synthesiser
from microveil.synth.in_groups import InGroups


@dataclass(frozen=True)
class Grouping:
    """How groups are formed for a synthesiser: on all columns or by consensus of their kinds; merged where needed."""

    partition: Partition
    synthesiser: Synthesiser
    how: InGroups
    consensus: bool = False
    merge: bool = False

    def large_enough(self, drawn: Table, given: Table) -> tuple[Partition, tuple[str, ...]]:
        """The partition, with the k that the synthesiser needs where this is to be raised, and a note if it was."""
        if self.how.small_groups != "raise_k" or not drawn.names:
            return self.partition, ()
        least = self.synthesiser.least_group(drawn, given)
        if self.partition.k >= least.records:
            return self.partition, ()
        note = f"k was raised from {self.partition.k} to {least.records}: {least.why}"
        return _resized(self.partition, least.records), (note,)

    def groups(
        self, table: Table, drawn: Table, given: Table, on: Table, streams: Streams
    ) -> tuple[Labels, tuple[str, ...]]:
        """Groups of records that are similar `on` some columns, numbered from 0, and what is to be said of them.

        `drawn` are the columns of the table that the synthesiser replaces, beside those given.
        """
        partition, notes = self.large_enough(drawn, given)
        if drawn.names and self.how.small_groups == "error":
            self.synthesiser.refuse_groups_of(partition.k, given)
        labels = consensus_groups(partition, on, streams) if self.consensus else partition.groups_of(on, streams)
        if not self.merge:
            return labels, notes
        find = degenerate_among(table, drawn, given if self.synthesiser.returns_determined else None)
        labels, said = merge_degenerate(labels, find, lambda: points_of(on, partition.standardise, "micro-hybrid"))
        return labels, (*notes, *said)


def _resized(partition: Partition, k: int) -> Partition:
    """The same partition with groups of at least k."""
    if isinstance(partition, PartitionOnTop):
        return replace(partition, base=_resized(partition.base, k))
    return replace(partition, k=k)
