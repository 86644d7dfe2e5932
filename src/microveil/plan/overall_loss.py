"""One figure of loss for files of amounts and categories, so that plans that change either can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.measure import Measure, Pair
from microveil.plan.verdict_loss import loss_of_amounts, loss_of_categories


@dataclass(frozen=True, kw_only=True)
class OverallLoss(Measure):
    """The larger of what amounts and what categories lose, in per cent.

    Both are the figures of a verdict: the probabilistic information loss, and the records that would have to change
    cell in tables of one and two categories. It is not registered: an evaluation tells both apart.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    title: ClassVar[str] = "Loss of amounts or categories"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        """The larger of the two, with both as parts."""
        found = {"amounts": loss_of_amounts(pair, None), "categories": loss_of_categories(pair)}
        parts = {name: value for name, value in found.items() if value is not None}
        if not parts:
            return self.not_applicable("neither amounts nor categories can be compared")
        worst = max(parts, key=lambda name: parts[name])
        said = f"Most is lost of {worst}: {format_number(parts[worst])} of 100."
        return self.measured(parts[worst], parts=parts, reading=said)


OverallLoss.name = "overall-loss"
