"""Any loss, cut at an upper bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.open_types import Stated
from microveil.core.parameters import Example, Range
from microveil.loss.base import Loss
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class Truncated(Loss, name="truncated"):
    """Another loss measure with its value cut at `cap`.

    Use it to weigh an unbounded loss against a bounded risk; what lies above the cap can no longer be
    compared, and the note says when that happened.
    Reference: Trottini 2003, Decision models for data disclosure limitation.
    """

    measure_of: Annotated[Loss, Example("pil"), "the loss measure"]
    cap: Annotated[float, Range(gt=0, grid=(1.0, 100.0)), "the largest value"] = 1.0

    kinds = ("continuous", "ordinal", "nominal")
    example: ClassVar[Stated] = {"measure_of": "information-loss"}
    title = "Truncated loss"
    reference = "Trottini 2003"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        found = self.measure_of.on(pair)
        if isinstance(found, NotApplicable):
            return self.not_applicable(found.reason)
        cut = min(found.value, self.cap)
        notes = (f"{format_number(found.value)} was cut to {self.cap:g}",) if cut < found.value else ()
        bounds = (found.bounds[0], min(found.bounds[1], self.cap))
        return replace(found, name=self.name, value=cut, bounds=bounds, interval=None, notes=(*found.notes, *notes))
