"""Probabilistic k-anonymity: values change places at random inside groups of at least k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import PERMUTE, Claim, GroupsAtLeast, TableKept, ValuesKept
from microveil.claims.guarantee import GroupAnonymity
from microveil.core.arrays import Ints, Labels, Vector
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Grid
from microveil.core.streams import Streams
from microveil.data.schema import KINDS
from microveil.data.table import Table
from microveil.mask.base import OrderMask
from microveil.mask.individual_ranking import ranking_groups
from microveil.partition import MDAV, Partition
from microveil.partition.base import in_blocks
from microveil.partition.by_partition import ByPartition
from microveil.run.by_order import STRETCH, Ordered
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, depends


@dataclass(frozen=True, kw_only=True)
class SwapInGroups(ByPartition, OrderMask, name="swap-in-groups"):
    """Form groups of at least k similar records and permute their values at random inside each group.

    Use it where original values must stay but a link may succeed with probability 1/k at most
    (probabilistic k-anonymity). `records` groups on all columns and permutes whole rows of them: their joint
    distribution stays exactly, the link to the other columns is blurred. `columns` groups and permutes each
    column on its own ranks. All values equal in a group remain certain: combine with diversity.
    """

    partition: Annotated[Partition, Grid((MDAV(k=3), MDAV(k=5))), "groups of the `records` mechanism, and k"] = field(
        default_factory=MDAV
    )
    mechanism: Annotated[Literal["records", "columns"], "permute rows of the columns, or each column apart"] = "records"

    passes: ClassVar[Passes] = depends(
        "blocks", lambda mask: "order" if mask.mechanism == "columns" else in_blocks(mask.partition)
    )
    columns_apart: ClassVar[bool] = depends(False, lambda mask: mask.mechanism == "columns")
    skips_missing: ClassVar[bool] = False
    tie_path: ClassVar[tuple[str, ...]] = ("ties",)
    kinds: ClassVar[tuple[str, ...]] = KINDS
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    change: ClassVar[str] = PERMUTE
    spares: ClassVar[bool] = True
    form: ClassVar[str] = "swap"
    reference = "Soria-Comas & Domingo-Ferrer 2012"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """The same values; rows of them, where rows move, in groups of k."""
        if self.mechanism == "columns":
            return (ValuesKept(),)
        return (ValuesKept(), TableKept(columns=columns), GroupsAtLeast(columns=columns, k=self.partition.k))

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> GroupAnonymity | None:
        """Whole rows change places inside groups; columns apart have no groups in common."""
        if self.mechanism == "columns" and len(kinds) > 1:
            return None
        return GroupAnonymity(self.partition.k, "exchangeable records", ("values",))

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Group and permute."""
        k = self.partition.k
        if table.rows < k:
            raise NotEnoughRecords(f"{self.name} needs at least k={k} records: {table.rows} given")
        if self.mechanism == "columns":
            return OrderMask.run(self, table, job)
        labels = self.partition.groups_of(table, job.streams.at("groups"))
        source = permute_in_groups(labels, job.streams.at("permutation"))
        return Outcome({name: values.take(source) for name, values in table.columns.items()}, groups=labels)

    def along(self, ordered: Ordered, streams: Streams) -> Iterator[tuple[Ints, Vector]]:
        """Values of k ranks next to each other change places; equal values are not cut by the order of the file."""
        count, k = ordered.count, self.partition.k
        if count < k:
            raise NotEnoughRecords(f"{self.name} needs at least k={k} values in a column: {count} given")
        whole, step = count // k * k, max(STRETCH // k, 1) * k
        for start in range(0, whole, step):
            # what is left behind the last group of k joins it
            own = ordered.stretch(start, start + step if start + step < whole else count)
            labels = ranking_groups(own.values, k, "consecutive")
            by_word = streams.at(*self.tie_path).of_rows(own.places).order(len(labels))
            source = permute_in_groups(labels[by_word], streams.of_rows(own.places[by_word]))
            yield own.places[by_word], own.values[by_word[source]]


def permute_in_groups(labels: Labels, streams: Streams) -> Labels:
    """For each record the record whose values it gets: a uniform permutation inside each group.

    Records may keep their own values; leaving those draws out would tell an intruder who it is not.
    """
    source = np.empty(len(labels), dtype=np.int64)
    source[np.argsort(labels, kind="stable")] = streams.order_in_groups(labels)
    return source
