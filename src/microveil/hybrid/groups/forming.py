"""Forming the groups in which records are drawn: large enough for the synthesiser, merged where nothing changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from microveil.core.arrays import Bools, Ints, Labels
from microveil.core.streams import Streams
from microveil.data.table import Table
from microveil.hybrid.groups.columns import consensus_groups
from microveil.hybrid.groups.degenerate import degenerate_among, merge_degenerate
from microveil.partition.base import Partition, PartitionOnTop
from microveil.partition.mixed import points_of
from microveil.run.job import Job
from microveil.run.parts import members_of
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

    def groups(self, table: Table, drawn: Table, job: Job, on: Table) -> tuple[Labels, tuple[str, ...]]:
        """Groups of records that are similar `on` some columns, numbered from 0, and what is to be said of them.

        `drawn` are the columns of the table that the synthesiser replaces, beside those given. Where the synthesiser
        asks for classes, groups are formed inside these.
        """
        given, streams = job.given, job.streams.at("partition")
        partition, notes = self.large_enough(drawn, given)
        if drawn.names and self.how.small_groups == "error":
            self.synthesiser.refuse_groups_of(partition.k, given)
        classes = self.synthesiser.classes_in(drawn, job, partition.k) if drawn.names else None
        if classes is None:
            labels = self._formed(partition, on, streams)
        else:
            labels, notes = self._formed_in(classes.labels, partition, on, streams), (*notes, *classes.notes)
        if not self.merge:
            return labels, notes
        constant = degenerate_among(table, drawn, given if self.synthesiser.returns_determined else None)

        def find(labels: Labels) -> Bools:
            still = constant(labels)
            return still | self.synthesiser.find_still_groups(drawn, job, labels) if drawn.names else still

        labels, said = merge_degenerate(labels, find, lambda: points_of(on, partition.standardise, "micro-hybrid"))
        moved = ("zeros of merged groups were drawn like any amount",) if said and classes is not None else ()
        return labels, (*notes, *said, *moved)

    def _formed(self, partition: Partition, on: Table, streams: Streams) -> Labels:
        return consensus_groups(partition, on, streams) if self.consensus else partition.groups_of(on, streams)

    def _formed_in(self, classes: Ints, partition: Partition, on: Table, streams: Streams) -> Labels:
        """Groups of records of the same class, numbered through."""
        labels, first = np.zeros(on.rows, dtype=np.int64), 0
        for number, rows in enumerate(members_of(classes)):
            own = self._formed(partition, on.take(rows), streams.at("class", number).of_rows(rows))
            labels[rows] = first + own
            first += int(own.max(initial=-1)) + 1
        return labels


def _resized(partition: Partition, k: int) -> Partition:
    """The same partition with groups of at least k."""
    if isinstance(partition, PartitionOnTop):
        return replace(partition, base=_resized(partition.base, k))
    return replace(partition, k=k)
