"""Partitions: records into groups of at least k."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Ints, Labels, Matrix
from microveil.core.errors import BadInput, BrokenPromise, MissingValues, NotEnoughRecords
from microveil.core.families import Family
from microveil.core.parameters import Range, Safer
from microveil.core.registry import Value
from microveil.core.streams import Key, Streams
from microveil.data.class_rule import ClassRule
from microveil.data.table import Table
from microveil.run.contract import Passes, depends

GroupSize = Annotated[
    int,
    Range(ge=2, grid=(3, 5, 10), search=(3, 100), log=True),
    Safer("twice"),
    "smallest number of records in a group",
]
Standardise = Annotated[
    Literal["zscore", "range", "robust"] | None,
    "how attributes are made comparable before distances are taken",
]

PARTITION = Family("partition", title="Partitions", meaning="records into groups of at least k", order=10)


@dataclass(frozen=True, kw_only=True)
class Partition(Value, family=PARTITION):
    """Base of all partitions: `labels` gives every record a group of at least k records.

    Works on its own on a NumPy array; methods that need groups take one as a parameter.
    """

    passes: ClassVar[Passes] = "file"  # what it must know of the file to say in which group a record is
    random: ClassVar[bool] = False
    # whether groups may depend on the processor, because libraries fit what forms them
    depends_on_processor: ClassVar[bool] = False
    memory: ClassVar[Literal["linear", "quadratic"]] = "linear"  # how what it needs grows with the records
    k: GroupSize = 3
    standardise: Standardise = "zscore"

    def labels(self, X: ArrayLike, *, seed: int | str | bytes | Key | None = None) -> Labels:
        """The group of each row of a matrix, numbered from 0; groups have at least k rows.

        `seed` matters for partitions that draw at random; None takes a fresh key.
        """
        return self.group(check_matrix(X, self.k, self.name), Streams(Key.of(seed)).at(self.name))

    def group(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a checked matrix."""
        return self.promised(self.kernel(self.on_common_scale(X), streams))

    def on_common_scale(self, X: Matrix) -> Matrix:
        """The attributes made comparable as `standardise` says."""
        from microveil.kernels.moments.scales import standardise

        values = X if self.standardise is None else standardise(X, self.standardise).values
        return np.ascontiguousarray(values)

    def groups_of(self, table: Table, streams: Streams) -> Labels:
        """The groups of the records of a table with columns of any kind; gaps are allowed.

        Categories count as points at their distances, a gap as the column's mean or as a category of its own; see
        `microveil.partition.mixed`. Partitions that know better ways take them.
        """
        from microveil.partition.mixed import points_of

        check_table(table, self.k, self.name)
        return self.promised(self.kernel(points_of(table, self.standardise, self.name), streams))

    def classes_of(self, table: Table, streams: Streams, rule: ClassRule) -> Labels:
        """Groups of the records of a table that satisfy an anonymity model, which all records together must satisfy.

        Groups that break it join their nearest neighbours. Partitions that can stop by the model itself do.
        """
        from microveil.partition.joining import join_broken_groups

        return join_broken_groups(resize(self, max(self.k, rule.model.smallest)).groups_of(table, streams), table, rule)

    def among(self, names: Iterable[str]) -> Self:
        """The partition for some of the columns: what it says about others does not matter then."""
        return self

    def promised(self, labels: Labels, counts: Ints | None = None) -> Labels:
        """The labels, if every group has at least k records; `counts` are those of the records of each row."""
        sizes = np.bincount(labels, counts)
        smallest = int(sizes.min())
        if smallest < self.k:  # a promise others build on: never hand out a group that breaks it
            raise BrokenPromise(
                f"{self.name} formed {int((sizes < self.k).sum())} of {len(sizes)} groups with fewer than k={self.k} "
                f"records, the smallest of {smallest}; nothing was grouped"
            )
        return labels

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix with at least k rows and no gaps."""
        raise TypeError(f"{type(self).__name__} must implement kernel()")


@dataclass(frozen=True, kw_only=True)
class PartitionOnTop(Partition):
    """Base of partitions that start from another one: k and the common scale are those of `base`."""

    base: Annotated[Partition, "the partition to start from"]
    k: int = field(init=False, repr=False, compare=False)
    standardise: Standardise = field(init=False, repr=False, compare=False)

    random: ClassVar[bool] = depends(False, lambda partition: partition.base.random)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "k", self.base.k)
        object.__setattr__(self, "standardise", self.base.standardise)
        self.validate_sizes()

    def validate_sizes(self) -> None:
        """Check what concerns k, once it is known; raise BadInput."""

    def among(self, names: Iterable[str]) -> Self:
        """The partition for some of the columns, as its base sees them."""
        return replace(self, base=self.base.among(names))


def resize(partition: Partition, k: int) -> Partition:
    """The same partition with groups of at least k."""
    if isinstance(partition, PartitionOnTop):
        return replace(partition, base=resize(partition.base, k))
    return replace(partition, k=k)


def check_matrix(X: ArrayLike, k: int, name: str) -> Matrix:
    """The array as float64 rows; wrong shapes, gaps and too few rows are refused by name."""
    try:
        values = np.array(X, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise BadInput(f"{name} groups rows of numbers; the data hold something else") from None
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or values.shape[1] == 0:
        raise BadInput(f"{name} groups the rows of a matrix; an array of shape {np.shape(X)} was given")
    bad = np.flatnonzero(~np.isfinite(values).all(axis=0))
    if len(bad):
        counts = ", ".join(f"{j} ({int((~np.isfinite(values[:, j])).sum())})" for j in bad[:10])
        raise MissingValues(f"{name} needs finite numbers; missing or infinite values in column {counts}")
    if len(values) < k:
        raise NotEnoughRecords(f"{name} needs at least k={k} records; there are {len(values)}")
    return values


def check_table(table: Table, k: int, name: str) -> None:
    """Refuse a table without columns, with infinite values or with fewer than k rows."""
    if not table.names:
        raise BadInput(f"{name} groups records by their columns; no column was given")
    infinite = [column for column in table.names if np.isinf(table[column].numbers).any()]
    if infinite:
        raise BadInput(f"{name} needs finite numbers; there are infinite values in {infinite}")
    if table.rows < k:
        raise NotEnoughRecords(f"{name} needs at least k={k} records; there are {table.rows}")


def in_blocks(partition: Partition) -> Passes:
    """What a method must know that acts inside the groups of a partition."""
    return "blocks" if partition.passes == "blocks" else "file"
