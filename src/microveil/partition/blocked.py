"""Any partition at scale: block by block."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Labels, Matrix
from microveil.core.errors import BadInput
from microveil.core.parameters import Grid, Range
from microveil.core.streams import Key, Streams
from microveil.data.table import Table
from microveil.partition.base import Partition, PartitionOnTop, check_matrix
from microveil.partition.information import within_groups
from microveil.partition.mdav import MDAV
from microveil.partition.on_scale import OnScale
from microveil.partition.spatial_cuts import SpatialCuts, find_cuts
from microveil.run.by_cuts import Cuts
from microveil.run.contract import Passes
from microveil.run.job import Job


@dataclass(frozen=True, kw_only=True)
class Blocked(PartitionOnTop, name="blocked"):
    """Cut the file into balanced blocks of near records and partition each by itself.

    Use it for millions of records: the time is near-linear and blocks run side by side, with the same result on any
    number of cores. Groups never cross a border between blocks, which loses a little: `extra_loss` tells how much, and
    `Refined(base=Blocked(...))` wins it back, for it works across borders.
    """

    base: Annotated[Partition, Grid((MDAV(k=3), MDAV(k=5))), "the partition of a block"] = field(default_factory=MDAV)
    size: Annotated[int, Range(ge=4, grid=(50, 20_000)), "largest number of records in a block"] = 20_000

    passes: ClassVar[Passes] = "blocks"
    reference = "Friedman, Bentley & Finkel 1977; Solanas, Martinez-Balleste, Domingo-Ferrer & Mateo-Sanz 2006"

    def validate_sizes(self) -> None:
        """Halves of a block must hold a group."""
        if self.size < 2 * self.k:
            raise BadInput(f"size={self.size} is below 2k={2 * self.k}: a block could hold fewer than k records")

    def cuts_of(self, table: Table, job: Job) -> SpatialCuts | None:
        """Where a file is cut into blocks that methods run in, one after the other; None where it is one block."""
        # a block holds half of the size or so; one that chance or equal values made much smaller is joined
        return find_cuts(table, job, self.size, max(self.k, self.size // 4))

    def inside(self, cuts: Cuts) -> Partition:
        """The partition of one block, with distances on the scale of the file where they are z-scores."""
        if self.base.standardise != "zscore" or not isinstance(cuts, SpatialCuts):
            return self.base
        scales = cuts.scales()
        centre, scale = ({name: one[side] for name, one in scales.items()} for side in (0, 1))
        return OnScale(base=self.base, centre=centre, scale=scale)

    def groups_of(self, table: Table, streams: Streams) -> Labels:
        """The groups of a table with columns of any kind; one block is grouped as blocks of a file are."""
        if table.rows > self.size:
            return super().groups_of(table, streams)
        return self.base.groups_of(table, streams.at("block", 0))

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        from microveil.kernels.search.blocks import order_in_blocks

        order, starts = order_in_blocks(X, self.size)
        return self._in_blocks(X, order, starts, streams)

    def _in_blocks(self, X: Matrix, order: Labels, starts: Labels, streams: Streams) -> Labels:
        def one(block: int) -> Labels:
            members = order[starts[block] : starts[block + 1]]
            return self.base.kernel(np.ascontiguousarray(X[members]), streams.at("block", block))

        labels = np.empty(len(X), dtype=np.int64)
        groups = 0
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for block, found in enumerate(pool.map(one, range(len(starts) - 1))):
                labels[order[starts[block] : starts[block + 1]]] = found + groups
                groups += int(found.max()) + 1
        return labels

    def extra_loss(self, X: ArrayLike, *, records: int = 100_000, seed: int | str | bytes | Key | None = None) -> float:
        """By how many per cent the borders of the blocks raise the sum of squares within groups.

        Found by grouping a part of the file, neighbouring blocks of about `records` records in its middle, with the
        borders and without them; the whole file if it is no larger. The outer border of the part is not counted.
        """
        from microveil.kernels.search.blocks import order_in_blocks

        points = self.on_common_scale(check_matrix(X, self.k, self.name))
        order, starts = order_in_blocks(points, self.size)
        blocks = len(starts) - 1
        wanted = min(blocks, max(2, records // self.size))
        first = (blocks - wanted) // 2
        part = order[starts[first] : starts[first + wanted]]
        inside = np.ascontiguousarray(points[part])
        streams = Streams(Key.of(seed)).at(self.name)
        places = np.arange(len(part))
        split = self._in_blocks(inside, places, starts[first : first + wanted + 1] - starts[first], streams)
        whole = within_groups(inside, self.base.kernel(inside, streams.at("whole")))
        return 100.0 * (within_groups(inside, split) / whole - 1.0) if whole > 0 else 0.0
