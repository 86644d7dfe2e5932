"""The partition of one column with the least loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.errors import BadInput
from microveil.core.parameters import Range
from microveil.core.streams import Streams
from microveil.partition.base import Partition


@dataclass(frozen=True, kw_only=True)
class OptimalUnivariate(Partition, name="optimal-univariate"):
    """The groups of one column with the least within-group sum of squares of all partitions with k and more.

    Use it for a single amount, or as individual ranking without avoidable loss. Groups are consecutive in the sorted
    values and have k to 2k - 1 records; they grow beyond where equal values are kept together. Time is linear after
    the sort.

    >>> OptimalUnivariate(k=2).labels([1.0, 1.1, 5.0, 5.1, 5.2]).tolist()
    [0, 0, 1, 1, 1]
    """

    column: Annotated[int | None, Range(ge=0), "the column to group by; nothing: the data have only one"] = None
    keep_ties: Annotated[bool, "never separate equal values"] = False

    reference = "Hansen & Mukherjee 2003"
    example = {"column": 0}  # noqa: RUF012 - read, never changed

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        from microveil.kernels.grouping.cuts import optimal_cuts, tie_boundaries

        x = self._chosen(X)
        order = np.argsort(x, kind="stable")
        path = x[order]
        allowed = tie_boundaries(path) if self.keep_ties else np.ones(len(path), dtype=np.bool_)
        labels = np.empty(len(x), dtype=np.int64)
        labels[order] = optimal_cuts(path[:, None], self.k, allowed)
        return labels

    def _chosen(self, X: Matrix) -> Matrix:
        columns = X.shape[1]
        if self.column is None and columns > 1:
            raise BadInput(f"{self.name} groups one column and there are {columns}; say which by column=")
        if (self.column or 0) >= columns:
            raise BadInput(f"column={self.column} is not there: columns are numbered 0 to {columns - 1}")
        return X[:, self.column or 0]
