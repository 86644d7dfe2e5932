"""Probabilistic k-anonymity: values change places at random inside groups of at least k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import PERMUTE, Claim, GroupsAtLeast, TableKept, ValuesKept
from microveil.claims.guarantee import GroupAnonymity
from microveil.core.arrays import Labels
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Grid
from microveil.core.streams import Streams
from microveil.data.schema import KINDS
from microveil.data.table import Table, Values
from microveil.mask.base import Mask
from microveil.mask.individual_ranking import ranking_groups
from microveil.partition import MDAV, Partition
from microveil.partition.base import in_blocks
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, depends


@dataclass(frozen=True, kw_only=True)
class SwapInGroups(Mask, name="swap-in-groups"):
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

    def run(self, table: Table, job: Job) -> Outcome:
        """Group and permute."""
        k = self.partition.k
        if table.rows < k:
            raise NotEnoughRecords(f"{self.name} needs at least k={k} records: {table.rows} given")
        if self.mechanism == "columns":
            return Outcome({name: self._column(name, values, job) for name, values in table.columns.items()})
        labels = self.partition.groups_of(table, job.streams.at("groups"))
        source = permute_in_groups(labels, job.streams.at("permutation"))
        return Outcome({name: values.take(source) for name, values in table.columns.items()}, groups=labels)

    def _column(self, name: str, values: Values, job: Job) -> Values:
        observed = np.flatnonzero(~values.missing)
        if len(observed) < self.partition.k:
            raise NotEnoughRecords(f"{name!r} has {len(observed)} values; k={self.partition.k} are needed")
        streams = job.streams.at(name).of_rows(observed)
        # ties in random order: equal values are not cut by the order of the file
        order = streams.at("ties").order(len(observed))
        shuffled = observed[order]
        labels = ranking_groups(values.numbers[shuffled], self.partition.k, "consecutive")
        data = values.data.copy()
        data[shuffled] = values.data[shuffled[permute_in_groups(labels, streams.of_rows(order))]]
        return values.with_data(data)


def permute_in_groups(labels: Labels, streams: Streams) -> Labels:
    """For each record the record whose values it gets: a uniform permutation inside each group.

    Records may keep their own values; leaving those draws out would tell an intruder who it is not.
    """
    source = np.empty(len(labels), dtype=np.int64)
    source[np.argsort(labels, kind="stable")] = streams.order_in_groups(labels)
    return source
