"""Clusters around typical records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.parameters import Range
from microveil.core.streams import Streams
from microveil.data.table import Table
from microveil.partition.base import check_table
from microveil.partition.mixed import records_of
from microveil.partition.weighted import WeightedPartition


@dataclass(frozen=True, kw_only=True)
class KModes(WeightedPartition, name="k-modes"):
    """Cluster records around their median and mode, starting from records drawn at random.

    Use it for categories that come in typical combinations. A cluster short of k records takes the nearest from
    clusters that can spare them, and one of less than half of k is given up. Amounts count by their mean. Clusters
    have at least k records and no upper size; the time grows with the square of the number of records.

    >>> KModes(k=2).labels([[0.0], [0.1], [9.0], [9.1]], seed=1).tolist()
    [1, 1, 0, 0]
    """

    rounds: Annotated[int, Range(ge=1, le=1000, grid=(20, 1)), "how often the clusters are formed anew"] = 20

    random: ClassVar[bool] = True
    reference = "Torra 2004; Huang 1998"

    def groups_of(self, table: Table, streams: Streams) -> Labels:
        """The clusters of the records of a table with columns of any kind; gaps are allowed."""
        check_table(table, self.k, self.name)
        X, metric = records_of(table, self.standardise, self.weights_in(table))
        return self._clusters(X, metric, streams)

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The clusters of points."""
        self.refuse_weights()
        points, metric = records_of(Table.of_matrix(X), None)
        return self._clusters(points, metric, streams)

    def _clusters(self, X: Matrix, metric: Any, streams: Streams) -> Labels:
        from microveil.kernels.grouping.k_modes import k_modes

        _, first = np.unique(np.where(np.isnan(X), -1.0, X), axis=0, return_index=True)
        seeds = streams.generator().permutation(first)[: max(1, len(X) // self.k)]
        labels = k_modes(X, metric, seeds, self.k, self.rounds)
        return self.promised(np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64))
