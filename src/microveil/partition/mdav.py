"""MDAV: the standard fixed-size heuristic of microaggregation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.streams import Streams
from microveil.data.table import Table
from microveil.partition.base import check_table
from microveil.partition.mixed import records_of
from microveil.partition.weighted import WeightedPartition

MANY = 50_000  # records of mixed kinds that are compared one by one; more are grouped as points


@dataclass(frozen=True, kw_only=True)
class MDAV(WeightedPartition, name="mdav"):
    """Maximum distance to average vector: groups of k around the records farthest from the centre.

    All groups have k records except at most one of k to 2k-1. Deterministic; the lowest row wins a
    tie. Low loss on scattered data, more on clustered data. Records of mixed kinds or with gaps are
    grouped around their mean, median and mode, with distances over what is observed in both records;
    that takes time by the square of their number, so that more than 50,000 of them are grouped as
    points, a gap as the column's mean or a category of its own, unless columns have weights.

    >>> MDAV(k=3).labels([[0.0], [0.1], [0.2], [9.0], [9.1], [9.5]]).tolist()
    [1, 1, 1, 0, 0, 0]
    """

    reference = "Domingo-Ferrer & Torra 2005; Domingo-Ferrer & Mateo-Sanz 2002"

    def groups_of(self, table: Table, streams: Streams) -> Labels:
        """The groups of the records of a table with columns of any kind; gaps are allowed."""
        from microveil.kernels.mdav.generic import mdav_generic

        numbers = all(values.kind == "continuous" for values in table.columns.values())
        if self.weights is None and (table.rows > MANY or (numbers and not table.incomplete.any())):
            return super().groups_of(table, streams)
        check_table(table, self.k, self.name)
        X, metric = records_of(table, self.standardise, self.weights_in(table))
        return self.promised(np.asarray(mdav_generic(X, metric, self.k), dtype=np.int64))

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        from microveil.kernels.mdav.engine import mdav

        self.refuse_weights()
        return np.asarray(mdav(X, self.k), dtype=np.int64)
