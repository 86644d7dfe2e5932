"""Base of the losses of values that were made coarser: which columns they look at, and how these count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from microveil.core.measured import Measured, NotApplicable
from microveil.core.parameters import Example, FrozenDict, Range
from microveil.loss.base import Loss
from microveil.loss.generalised_cells import columns_made_coarser
from microveil.measure import Pair

_ALL_REPLACED = "the values were replaced by others and not made coarser: how far they moved is told by other measures"

DropPrice = Annotated[
    float, Range(gt=0, grid=(1.0, 2.0)), "what a record left out costs, where 1 is all that could be lost of it"
]


@dataclass(frozen=True, kw_only=True)
class CoarserLoss(Loss):
    """Base of losses by generalisation, weighed over the columns.

    They look at all columns; `columns=[...]` restricts them, to the keys for instance.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    paired: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    weights: Annotated[
        Mapping[str, float], Range(gt=0), Example({"age": 2}), "how much a column counts, 1 if nothing says it"
    ] = field(default_factory=FrozenDict)
    drop_price: DropPrice = 1.0

    def choose(self, pair: Pair) -> tuple[str, ...]:
        """All columns but those whose values were replaced by others, which no class stands for."""
        return columns_made_coarser(pair)

    def on(self, pair: Pair) -> Measured | NotApplicable:
        if not self.choose(pair):
            return self.not_applicable(_ALL_REPLACED)
        return super().on(pair)
