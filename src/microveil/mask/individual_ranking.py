"""Individual ranking: microaggregation of one attribute at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, MeansKept, OrderKept, ValuesAtLeast
from microveil.core.arrays import Ints, Vector
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Range, Safer
from microveil.core.streams import Streams
from microveil.mask.aggregate import aggregate_groups
from microveil.mask.base import OrderMask, depends
from microveil.run.by_order import STRETCH, Ordered


@dataclass(frozen=True, kw_only=True)
class IndividualRanking(OrderMask, name="individual-ranking"):
    """Replace the values of each column by the means of groups of k values next to each other.

    Use it when little may be lost: every column keeps its mean and order, and each released value occurs
    at least k times. It gives no k-anonymity of records, and two known columns identify most of them.
    `optimal` groups have the least loss possible. For ordered categories see `Microaggregation` with `blocks=1`.
    """

    k: Annotated[
        int,
        Range(ge=2, grid=(3, 10), search=(3, 100), log=True),
        Safer("twice"),
        "smallest number of values in a group",
    ] = 3
    grouping: Annotated[Literal["consecutive", "optimal"], "always k by k, or with the least loss"] = "consecutive"

    random: ClassVar[bool] = False
    ties: ClassVar[Literal["drawn", "file"]] = "file"
    # where the least loss is depends on all values
    in_stretches: ClassVar[bool] = depends(True, lambda mask: mask.grouping == "consecutive")
    attacks: ClassVar[tuple[str, ...]] = ("centroid-intersection",)
    reference = "Defays & Nanopoulos 1993; Hansen & Mukherjee 2003"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means, order, and k equal values in every column."""
        return (MeansKept(), OrderKept(), ValuesAtLeast(k=self.k))

    def along(self, ordered: Ordered, streams: Streams) -> Iterator[tuple[Ints, Vector]]:
        """Averages of groups along the order; ties are cut in the order of the file."""
        count, k = ordered.count, self.k
        if count < k:
            raise NotEnoughRecords(f"{self.name} needs at least k={k} values in a column: {count} given")
        whole = count // k * k
        step = max(STRETCH // k, 1) * k if self.in_stretches else whole
        for start in range(0, whole, step):
            # what is left behind the last group of k joins it
            own = ordered.stretch(start, start + step if start + step < whole else count)
            yield own.places, aggregate_groups(own.values[:, None], ranking_groups(own.values, k, self.grouping))[:, 0]


def ranking_groups(x: Vector, k: int, grouping: Literal["consecutive", "optimal"]) -> Ints:
    """Groups of at least k values next to each other, numbered from the smallest."""
    if grouping == "optimal":
        from microveil.kernels.grouping.single_values import optimal_groups

        return optimal_groups(x, k)
    labels = np.empty(len(x), dtype=np.int64)
    labels[np.argsort(x, kind="stable")] = np.minimum(np.arange(len(x)) // k, len(x) // k - 1)
    return labels
