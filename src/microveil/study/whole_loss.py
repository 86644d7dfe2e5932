"""The loss of a file with amounts and categories in one figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.measure import Measure, Pair
from microveil.plan.verdict_loss import loss_of_amounts, loss_of_categories

NAME = "whole-loss"


@dataclass(frozen=True, kw_only=True)
class WholeLoss(Measure):
    """The larger of two losses in per cent: that of amounts (PIL) and that of tables of categories.

    By the loss of amounts alone a search would blot out every category: it costs nothing there. It is not registered:
    an evaluation shows both figures.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    title: ClassVar[str] = "Loss of amounts or of categories"

    def on(self, pair: Pair) -> Measured | NotApplicable:
        """The larger figure, with both as its parts."""
        found = {"amounts": loss_of_amounts(pair, None), "categories": loss_of_categories(pair)}
        parts = {name: value for name, value in found.items() if value is not None}
        if not pair.of_kind("continuous") and not parts:
            parts = {"categories": 0.0}  # none was changed
        if not parts:
            return self.not_applicable("neither amounts nor categories can be compared")
        worst = max(parts, key=lambda name: parts[name])
        reading = f"{format_number(parts[worst])} % is lost, by the figure of {worst}."
        return self.measured(parts[worst], parts=parts, reading=reading)


WholeLoss.name = NAME
