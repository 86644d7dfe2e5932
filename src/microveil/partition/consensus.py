"""One partition from several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.errors import BadInput
from microveil.core.parameters import Grid
from microveil.core.streams import Streams
from microveil.data.table import Table
from microveil.partition.base import Partition, check_table
from microveil.partition.mdav import MDAV
from microveil.partition.vmdav import VMDAV
from microveil.run.contract import depends


@dataclass(frozen=True, kw_only=True)
class Consensus(Partition, name="consensus"):
    """Keep together what all partitions keep together; join blocks smaller than k to the nearest.

    Use it where groups should not hang on one heuristic, or to bring partitions of several scales together. Groups
    have at least k records and no upper size. It draws at random only if one of its partitions does.
    """

    partitions: Annotated[
        tuple[Partition, ...],
        Grid(((MDAV(k=2), VMDAV(k=3, gamma=1.1)), (VMDAV(),))),
        "the partitions to bring together",
    ] = (MDAV(), VMDAV())

    random: ClassVar[bool] = depends(False, lambda consensus: any(one.random for one in consensus.partitions))
    reference = "Strehl & Ghosh 2002; Domingo-Ferrer & Gonzalez-Nicolas 2010"

    def validate(self) -> None:
        """There must be a partition to follow, and none may need more records than the consensus."""
        if not self.partitions:
            raise BadInput("consensus needs at least one partition; partitions=() names none")
        for partition in self.partitions:
            if partition.k > self.k:
                raise BadInput(f"{partition.name} has k={partition.k}, more than k={self.k} of the consensus; lower it")

    def among(self, names: Iterable[str]) -> Self:
        """The consensus for some of the columns, as its partitions see them."""
        chosen = tuple(names)
        return replace(self, partitions=tuple(partition.among(chosen) for partition in self.partitions))

    def group(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a checked matrix: each partition sees the data on the scale it asks for."""
        found = [partition.group(X, streams.at("part", number)) for number, partition in enumerate(self.partitions)]
        return self._merged(self.on_common_scale(X), found)

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of points: every partition sees them as they are."""
        found = [partition.kernel(X, streams.at("part", number)) for number, partition in enumerate(self.partitions)]
        return self._merged(X, found)

    def groups_of(self, table: Table, streams: Streams) -> Labels:
        """The groups of a table with columns of any kind."""
        from microveil.partition.mixed import points_of

        check_table(table, self.k, self.name)
        found = [
            partition.groups_of(table, streams.at("part", number)) for number, partition in enumerate(self.partitions)
        ]
        return self._merged(points_of(table, self.standardise, self.name), found)

    def _merged(self, points: Matrix, found: list[Labels]) -> Labels:
        from microveil.kernels.grouping.consensus import intersection, merge_small

        merged = merge_small(np.ascontiguousarray(points), intersection(found), self.k)
        return self.promised(np.asarray(merged, dtype=np.int64))
