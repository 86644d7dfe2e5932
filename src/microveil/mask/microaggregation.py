"""Microaggregation: groups of at least k similar records, values replaced by their average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from microveil.claims import Claim, EqualRowsAsideGaps, MeansKept
from microveil.claims.guarantee import Anonymity
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Grid, Range
from microveil.data.table import Table, Values
from microveil.mask.aggregate import Operator, aggregated
from microveil.mask.base import Mask, depends
from microveil.mask.blocks import Blocks, blocks_in_order, named_blocks, order_by_correlation
from microveil.partition import MDAV, Partition
from microveil.run.method import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class Microaggregation(Mask, name="microaggregation"):
    """Form groups of at least k similar records and give every member the average of its group.

    Use it for amounts: on one block the released rows occur at least k times (k-anonymity); with `blocks`
    fewer columns are grouped at a time, which loses less and protects less, for rows occur k times on each
    block only. `mean` keeps the means; variances shrink (see `Rescale`). Gaps stay gaps, and averages
    are over the observed cells.
    """

    partition: Annotated[Partition, Grid((MDAV(k=3), MDAV(k=5))), "how the groups are formed"] = field(
        default_factory=MDAV
    )
    blocks: Annotated[
        int | tuple[tuple[str, ...], ...] | None,
        Range(ge=1, grid=(None, 3)),
        "columns grouped together: all, so many at a time in file order, or lists of names",
    ] = None
    order: Annotated[Literal["given", "correlation"], "order of the columns before they are cut into blocks"] = "given"
    operator: Annotated[Operator, "average of a group"] = "mean"

    skips_missing: ClassVar[bool] = True
    random: ClassVar[bool] = depends(False, lambda mask: mask.partition.random)
    also_try = ({"blocks": 2, "order": "correlation"},)
    form: ClassVar[str] = "average"
    reference = "Defays & Nanopoulos 1993; Domingo-Ferrer & Mateo-Sanz 2002"

    def validate(self) -> None:
        """An order is chosen only where the blocks follow from a number."""
        if self.order == "correlation" and not isinstance(self.blocks, int):
            raise BadInput(f"order='correlation' needs blocks as a number of columns; it is {self.blocks!r}")

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Equal rows on every block; means where averages are means."""
        if self.order == "correlation":
            # which columns go together is known only from the data; every one is in some block
            blocks: Blocks = tuple((name,) for name in columns)
        else:
            blocks = self._blocks(columns, None)
        kept: tuple[Claim, ...] = (MeansKept(),) if self.operator == "mean" else ()
        return (*kept, *(EqualRowsAsideGaps(columns=block, k=self.partition.k) for block in blocks))

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> Anonymity | None:
        """Equal records in every group, if one grouping serves all columns; the values are the group's means."""
        if self.blocks is not None:
            return None
        return Anonymity(self.partition.k, "equal records", ("means",) if self.operator == "mean" else ())

    def run(self, table: Table, job: Job) -> Outcome:
        """Group and average block by block."""
        if table.rows < self.partition.k:
            raise NotEnoughRecords(f"{self.name} needs at least k={self.partition.k} records: {table.rows} given")
        weights = job.weights if self.operator == "weighted" else None
        if self.operator == "weighted" and weights is None:
            raise BadInput("operator='weighted' needs survey weights; give one column the role weight")
        columns: dict[str, Values] = {}
        groups = None
        blocks = self._blocks(table.names, table)
        for number, block in enumerate(blocks):
            X = table.matrix(block)
            labels = self.partition.groups_of(table.only(block), job.streams.at("block", number))
            for j, name in enumerate(block):
                averaged = aggregated(X[:, j : j + 1], labels, self.operator, weights)
                columns[name] = table[name].with_data(averaged[:, 0])
            groups = labels if len(blocks) == 1 else None
        return Outcome({name: columns[name] for name in table.names}, groups)

    def _blocks(self, names: tuple[str, ...], table: Table | None) -> Blocks:
        if self.blocks is None:
            return (names,)
        if not isinstance(self.blocks, int):
            return named_blocks(self.blocks, names)
        if self.order == "correlation" and table is not None:
            names = order_by_correlation(table.matrix(), names, self.blocks)
        return blocks_in_order(names, self.blocks)
