"""A partition of a part of a file on the scale of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from microveil.core.arrays import Labels, Matrix
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.partition.base import Partition, PartitionOnTop


@dataclass(frozen=True, kw_only=True)
class OnScale(PartitionOnTop):
    """Group records by another partition with distances in the standard deviations of a larger file.

    It is made where a file is cut into blocks, and has no name of its own.
    """

    centre: Annotated[Mapping[str, float], "the mean of each column of numbers in the file"]
    scale: Annotated[Mapping[str, float], "its standard deviation there"]

    def groups_of(self, table: Table, streams: Streams) -> Labels:
        """The groups of some records of the file."""
        scaled = {name: self._scaled(name, values) for name, values in table.columns.items()}
        return _as_they_are(self.base).groups_of(Table(scaled, table.rows), streams)

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a matrix that is on a common scale already."""
        return self.base.kernel(X, streams)

    def _scaled(self, name: str, values: Values) -> Values:
        if values.levels is not None or name not in self.scale:
            return values
        return values.with_data((values.data - self.centre[name]) / self.scale[name])


def _as_they_are(partition: Partition) -> Partition:
    """The same partition of columns that are on a common scale already."""
    if isinstance(partition, PartitionOnTop):
        return replace(partition, base=_as_they_are(partition.base))
    return replace(partition, standardise=None)
