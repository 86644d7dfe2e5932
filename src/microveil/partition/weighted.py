"""Partitions whose distances give columns weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Self

from microveil.core.errors import BadInput
from microveil.core.parameters import Example, OfColumns, Range
from microveil.data.table import Table
from microveil.partition.base import Partition


@dataclass(frozen=True, kw_only=True)
class WeightedPartition(Partition):
    """Base of partitions that group the records of a table by a distance in which columns have weights."""

    weights: Annotated[
        Mapping[str, float] | None,
        Range(ge=0),
        OfColumns("keys"),
        Example({"age": 2, "region": 0.5}),
        "weight of each column in the distance, else 1",
    ] = None

    def among(self, names: Iterable[str]) -> Self:
        """The partition for some of the columns, with their weights."""
        if self.weights is None:
            return self
        chosen = set(names)
        kept = {name: weight for name, weight in self.weights.items() if name in chosen}
        return replace(self, weights=kept or None)

    def weights_in(self, table: Table) -> list[float]:
        """The weight of each column of a table; a name that is not among them is refused."""
        unknown = [name for name in self.weights or () if name not in table.names]
        if unknown:
            raise BadInput(f"weights name {unknown}, not among the columns to group {list(table.names)}")
        return [float((self.weights or {}).get(name, 1.0)) for name in table.names]

    def refuse_weights(self) -> None:
        """Refuse weights where there are points instead of columns with names."""
        if self.weights is not None:
            raise BadInput(
                f"weights={dict(self.weights)!r} go by the names of columns, and here {self.name} groups points "
                "without names; leave weights out"
            )
