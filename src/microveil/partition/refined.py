"""Local search on top of any partition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.parameters import Grid, Range, When
from microveil.core.streams import Streams
from microveil.data.table import Table
from microveil.partition.base import Partition, PartitionOnTop
from microveil.partition.information import within_groups
from microveil.partition.mdav import MDAV
from microveil.partition.mst import MST

_HEAT = (0.3, 0.03)  # first and last temperature of annealing
_MANY_RECORDS, _MANY_RECORDS_HEAT = 20_000, (0.15, 0.05)


@dataclass(frozen=True, kw_only=True)
class Refined(PartitionOnTop, name="refined"):
    """Lower the loss of a partition by moving, swapping and regrouping records of neighbouring groups.

    Use it whenever there is time for it: the loss never rises and all groups end with k to 2k - 1 records. Without a
    budget it stops where no change helps; `moves` ends it after so many changes, `seconds` of processor time sooner or
    later depending on the machine. With `sweeps` it anneals first: slower, and lower still; of several `restarts` the
    best is kept. Random draws decide between neighbours in large files and in annealing.

    >>> Refined(base=MDAV(k=2)).labels([[0.0], [0.1], [5.0], [5.1], [9.0]], seed=1).tolist()
    [0, 0, 1, 1, 1]
    """

    base: Annotated[Partition, Grid((MDAV(k=3), MDAV(k=5), MST(k=10))), "the partition to start from"] = field(
        default_factory=MDAV
    )
    sweeps: Annotated[int, Range(ge=0, grid=(0, 5)), "tries per record of simulated annealing; 0: none"] = 0
    restarts: Annotated[int, Range(ge=1), When(sweeps=Range(ge=1)), "annealing runs of which the best is kept"] = 1
    neighbours: Annotated[int, Range(ge=1, le=100), "near records looked at for a better group"] = 12
    moves: Annotated[int | None, Range(ge=0, grid=(None, 20)), When(sweeps=0), "largest number of changes"] = None
    seconds: Annotated[float | None, Range(gt=0), When(sweeps=0), "largest processor time"] = None

    random: ClassVar[bool] = True
    reference = "Hartigan & Wong 1979; Kirkpatrick, Gelatt & Vecchi 1983"
    also_try = ({"sweeps": 3, "restarts": 2},)

    def group(self, X: Matrix, streams: Streams) -> Labels:
        """The refined groups of a checked matrix."""
        return self.promised(self._lowered(self.on_common_scale(X), self.base.group(X, streams.at("base")), streams))

    def groups_of(self, table: Table, streams: Streams) -> Labels:
        """The refined groups of a table with columns of any kind."""
        from microveil.partition.mixed import points_of

        labels = self.base.groups_of(table, streams.at("base"))
        return self.promised(self._lowered(points_of(table, self.standardise, self.name), labels, streams))

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The refined groups of points."""
        return self._lowered(X, self.base.kernel(X, streams.at("base")), streams)

    def _lowered(self, points: Matrix, labels: Labels, streams: Streams) -> Labels:
        from microveil.kernels.refinement.descent import refine

        if self.sweeps:
            runs = [self._annealed(points, labels, streams.at("run", run)) for run in range(self.restarts)]
            return min(runs, key=lambda run: within_groups(points, run))
        generator = streams.at("search").generator()
        lowered = refine(
            points,
            labels,
            self.k,
            moves=self.moves,
            seconds=self.seconds,
            neighbours=self.neighbours,
            generator=generator,
        )
        return np.asarray(lowered, dtype=np.int64)

    def _annealed(self, points: Matrix, labels: Labels, streams: Streams) -> Labels:
        from microveil.kernels.refinement.anneal import anneal

        # few tries per record pay most when they stay near the start; small files can afford to leave it
        hottest, coldest = _MANY_RECORDS_HEAT if len(points) > _MANY_RECORDS else _HEAT
        found = anneal(
            points,
            labels,
            self.k,
            sweeps=self.sweeps,
            hottest=hottest,
            coldest=coldest,
            neighbours=self.neighbours,
            generator=streams.generator(),
        )
        return np.asarray(found, dtype=np.int64)
