"""Microaggregation of categories, alone or together with amounts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import Claim, EqualRowsAtLeast
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Range
from microveil.data.schema import KINDS
from microveil.data.table import Table, Values
from microveil.mask.base import Mask, depends
from microveil.mask.blocks import blocks_in_order
from microveil.mask.mixed_groups import group_averages, metric_of, mixed_groups
from microveil.run.method import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class CategoricalMicroaggregation(Mask, name="categorical-microaggregation"):
    """Form groups of at least k similar records and give all members the group's median or mode.

    Use it for k-anonymity of ordered or unordered categories, also beside amounts: ordered levels become the
    lower median, others the most frequent level (by a hierarchy, the most central one), amounts the mean.
    `mdav` groups around extreme records; `k-modes` clusters around typical ones and is random. Missing is
    a level of its own. `blocks` groups so many columns at a time; 1 is individual ranking.
    """

    k: Annotated[int, Range(ge=2, grid=(3, 5)), "smallest number of records in a group"] = 3
    algorithm: Annotated[Literal["mdav", "k-modes"], "how the groups are formed"] = "mdav"
    blocks: Annotated[int | None, Range(ge=1), "columns grouped at a time, in file order; all if not given"] = None
    weights: Annotated[Mapping[str, float] | None, Range(ge=0), "weight of each column in the distance, else 1"] = None
    rounds: Annotated[int, Range(ge=1, le=1000), "rounds of k-modes"] = 20

    kinds: ClassVar[tuple[str, ...]] = KINDS
    random: ClassVar[bool] = depends(True, lambda mask: mask.algorithm == "k-modes")
    spares: ClassVar[bool] = True
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    reference = "Torra 2004; Domingo-Ferrer & Torra 2005"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Equal rows on every block."""
        return tuple(EqualRowsAtLeast(columns=block, k=self.k) for block in self._blocks(columns))

    def _blocks(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        return (names,) if self.blocks is None else blocks_in_order(names, self.blocks)

    def run(self, table: Table, job: Job) -> Outcome:
        """Group and average block by block."""
        if table.rows < self.k:
            raise NotEnoughRecords(f"{self.name} needs at least k={self.k} records: {table.rows} given")
        unknown = [name for name in self.weights or () if name not in table.names]
        if unknown:
            raise BadInput(f"weights name {unknown}, not among the columns to protect {list(table.names)}")
        columns: dict[str, Values] = {}
        blocks = self._blocks(table.names)
        labels = None
        for number, block in enumerate(blocks):
            part = table.only(block)
            labels = self._groups(part, job.streams.at("block", number).generator())
            columns |= group_averages(part, labels)
        return Outcome({name: columns[name] for name in table.names}, groups=labels if len(blocks) == 1 else None)

    def _groups(self, table: Table, generator: np.random.Generator) -> NDArray[np.int64]:
        weights = {name: weight for name, weight in (self.weights or {}).items() if name in table.names}
        if self.algorithm == "mdav":
            return mixed_groups(table, self.k, self.name, weights)
        from microveil.kernels.grouping.k_modes import k_modes

        X = table.matrix()
        _, first = np.unique(np.where(np.isnan(X), -1.0, X), axis=0, return_index=True)
        seeds = generator.permutation(first)[: max(1, table.rows // self.k)]
        labels = k_modes(X, metric_of(table, weights), seeds, self.k, self.rounds)
        return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)
