"""Microaggregation: groups of at least k similar records, values replaced by their average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, EqualRowsAsideGaps, EqualRowsAtLeast, MeansKept
from microveil.claims.guarantee import GroupAnonymity
from microveil.core.arrays import Ints, Labels, Matrix
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Example, Grid, OfColumns, Range, When
from microveil.core.words import counted
from microveil.data.matrices import split_columns
from microveil.data.schema import KINDS
from microveil.data.table import Table, Values
from microveil.mask.aggregate import Operator, aggregate_groups, joined_around_gaps
from microveil.mask.base import Mask, depends
from microveil.mask.blocks import Blocks, blocks_in_order, check_blocks, order_by_correlation
from microveil.mask.group_values import group_averages
from microveil.partition import MDAV, Partition
from microveil.partition.base import in_blocks
from microveil.partition.by_partition import ByPartition, blocked_alike
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome
from microveil.run.parts import members_of


@dataclass(frozen=True, kw_only=True)
class Microaggregation(ByPartition, Mask, name="microaggregation"):
    """Form groups of at least k similar records and give every member the average of its group.

    Use it for amounts: on one block the released rows occur at least k times (k-anonymity); with `blocks`
    fewer columns are grouped at a time, which loses less and protects less, for rows occur k times on each
    block only. `mean` keeps the means; variances shrink (see `Rescale`). Gaps stay gaps, and averages
    are over the observed cells; where a group has fewer than k of them in a column, they are averaged with those of
    the nearest group. Categories are grouped with the amounts where you name them, or where there are no
    amounts: ordered ones become the lower median, others the most frequent (by a hierarchy, the most central) one,
    and missing is a category of its own. Numbers whose kind nobody stated count as amounts.
    """

    partition: Annotated[Partition, Grid((MDAV(k=3), MDAV(k=5))), "how the groups are formed"] = field(
        default_factory=MDAV
    )
    blocks: Annotated[
        int | tuple[tuple[str, ...], ...] | None,
        Range(ge=1, grid=(None, 3), search=(2, 5)),
        OfColumns(),
        Example([["income", "taxes"], ["age"]]),
        "columns grouped together: all, so many at a time in file order, or lists of names",
    ] = None
    order: Annotated[
        Literal["given", "correlation"],
        When(blocks=Range(ge=1)),
        "order of the columns before they are cut into blocks",
    ] = "given"
    operator: Annotated[Operator, "average of a group of amounts"] = "mean"

    passes: ClassVar[Passes] = depends(
        "blocks", lambda mask: in_blocks(mask.partition) if mask.blocks is None else "file"
    )
    way_out: ClassVar[str] = depends(
        ByPartition.way_out,
        lambda mask: (
            blocked_alike(mask)
            if mask.blocks is None
            else "take a step without blocks for each list of columns, with partition='blocked'"
        ),
    )
    kinds: ClassVar[tuple[str, ...]] = KINDS
    amounts_first: ClassVar[bool] = True
    skips_missing: ClassVar[bool] = True
    random: ClassVar[bool] = depends(False, lambda mask: mask.partition.random)
    also_try = ({"blocks": 2, "order": "correlation"},)
    form: ClassVar[str] = "average"
    attacks: ClassVar[tuple[str, ...]] = depends(
        ("block-intersection",), lambda mask: () if mask.blocks is None else ("block-intersection",)
    )
    needs_roles: ClassVar[tuple[str, ...]] = depends(
        (), lambda mask: ("weight",) if mask.operator == "weighted" else ()
    )
    reference = "Defays & Nanopoulos 1993; Domingo-Ferrer & Mateo-Sanz 2002; Torra 2004; Domingo-Ferrer & Torra 2005"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Equal rows on every block; means where averages are means."""
        if self.order == "correlation":
            # which columns go together is known only from the data; every one is in some block
            blocks: Blocks = tuple((name,) for name in columns)
        else:
            blocks = self._blocks(columns, None)
        kept: tuple[Claim, ...] = (MeansKept(),) if self.operator == "mean" else ()
        return (*kept, *(EqualRowsAsideGaps(columns=block, k=self.partition.k) for block in blocks))

    def may_spare(self, kind: str) -> bool:
        """Records of one category may make up whole groups, in which nothing has to change."""
        return kind != "continuous"

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> GroupAnonymity | None:
        """Equal records in every group, if one grouping serves all columns; the values are the group's means."""
        if self.blocks is not None:
            return None
        means = self.operator == "mean" and "continuous" in kinds.values()
        return GroupAnonymity(self.partition.k, "equal records", ("means",) if means else ())

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Group and average block by block of columns."""
        if table.rows < self.partition.k:
            raise NotEnoughRecords(f"{self.name} needs at least k={self.partition.k} records: {table.rows} given")
        weights = job.weights if self.operator == "weighted" else None
        if self.operator == "weighted" and weights is None:
            raise BadInput("operator='weighted' needs survey weights; give one column the role weight")
        columns: dict[str, Values] = {}
        groups = None
        blocks = self._blocks(table.names, table)
        for number, block in enumerate(blocks):
            part = table.only(block)
            labels = self.partition.among(block).groups_of(part, job.streams.at("block", number))
            amounts = [name for name in block if table[name].kind == "continuous"]
            X = table.matrix(amounts)
            for j, name in enumerate(amounts):
                together = self._around_gaps(name, X[:, j], labels)
                averaged = aggregate_groups(X[:, j : j + 1], together, self.operator, weights)
                columns[name] = table[name].with_data(averaged[:, 0])
            categories = [name for name in block if name not in amounts]
            if categories:
                columns |= group_averages(part.only(categories), labels)
            groups = labels if len(blocks) == 1 else None
        return Outcome({name: columns[name] for name in table.names}, groups, claims=self._claims_on(table, blocks))

    def run_in_groups(self, table: Table, job: Job, labels: Ints) -> Outcome | None:
        """Groups inside every cluster, and the averages of all of them in one pass; for complete amounts and MDAV."""
        weights = job.weights if self.operator == "weighted" else None
        amounts = all(values.kind == "continuous" for values in table.columns.values())
        plain = type(self.partition) is MDAV and self.partition.weights is None and self.blocks is None
        if not (plain and amounts and (weights is None) == (self.operator != "weighted")):
            return None
        X = table.matrix()
        if not np.isfinite(X).all() or np.bincount(labels).min() < self.partition.k:
            return None
        groups = np.empty_like(labels)
        formed = 0
        for rows in members_of(labels):
            inside = self.partition.group(X[rows], job.streams)
            groups[rows] = formed + inside
            formed += int(inside.max()) + 1
        return Outcome(split_columns(aggregate_groups(X, groups, self.operator, weights), table), groups)

    def _around_gaps(self, name: str, x: Matrix, labels: Labels) -> Labels:
        """The groups of one column with at least k observed cells in each."""
        observed = int((~np.isnan(x)).sum())
        if 0 < observed < self.partition.k:
            raise NotEnoughRecords(
                f"{self.name} needs at least k={self.partition.k} values in each column, and {name!r} has "
                f"{counted(observed, 'value')}, whose average would tell what they are; leave the column out of the "
                "release (role identifier), or protect it by another method"
            )
        return joined_around_gaps(x, labels, self.partition.k)

    def _claims_on(self, table: Table, blocks: Blocks) -> tuple[Claim, ...] | None:
        """What is promised where there are categories: no means of theirs, and no gaps but those of amounts."""
        amounts = tuple(name for name in table.names if table[name].kind == "continuous")
        if len(amounts) == len(table.names):
            return None
        found: list[Claim] = [MeansKept(columns=amounts)] if amounts and self.operator == "mean" else []
        for block in blocks:
            gaps = any(table[name].missing.any() for name in block if name in amounts)
            found.append((EqualRowsAsideGaps if gaps else EqualRowsAtLeast)(columns=block, k=self.partition.k))
        return tuple(found)

    def blocks_on(self, columns: tuple[str, ...]) -> Blocks | None:
        """The columns that are grouped together, None where that follows from the data."""
        return None if self.order == "correlation" else self._blocks(columns, None)

    def _blocks(self, names: tuple[str, ...], table: Table | None) -> Blocks:
        if self.blocks is None:
            return (names,)
        if not isinstance(self.blocks, int):
            return check_blocks(self.blocks, names)
        if self.order == "correlation" and table is not None:
            nominal = [name for name in names if table[name].kind == "nominal"]
            if nominal:
                raise BadInput(f"order='correlation' needs values in order and {nominal} have none; use order='given'")
            names = order_by_correlation(table.matrix(), names, self.blocks)
        return blocks_in_order(names, self.blocks)
