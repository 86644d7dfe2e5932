"""One figure of loss for files of amounts and categories, so that plans that change either can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.measure import Measure, Pair
from microveil.plan.as_it_was import is_as_it_was
from microveil.plan.verdict_loss import loss_of_amounts, loss_of_categories, loss_of_columns, loss_of_detail

NAME = "overall-loss"


@dataclass(frozen=True, kw_only=True)
class OverallLoss(Measure):
    """The largest of what amounts, tables of categories, their detail and columns left empty lose, in per cent.

    The first are figures of a verdict: the probabilistic information loss, the records that would have to change cell
    in tables of one and two categories, and what coarser categories tell less. By the loss of amounts alone a plan that
    blots out every category would cost nothing, by that of tables one that recodes all of them evenly, and by all of
    them one that empties whatever it cannot protect. It is not registered: an evaluation tells them apart.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    title: ClassVar[str] = "Loss of amounts or categories"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        """The largest, with all as parts; a file that is as it was loses nothing."""
        found = {
            "amounts": loss_of_amounts(pair, None),
            "categories": loss_of_categories(pair),
            "detail of categories": loss_of_detail(pair),
            "columns": loss_of_columns(pair),
        }
        parts = {name: value for name, value in found.items() if value is not None}
        amounts = [name for name in pair.columns if pair.before.kinds[name] == "continuous"]
        if found["amounts"] is None and not all(is_as_it_was(pair, name) for name in amounts):
            return self.not_applicable("amounts were changed, and what that costs cannot be measured")
        if not parts and all(is_as_it_was(pair, name) for name in pair.columns):
            parts = {"categories": 0.0}
        if not parts:
            return self.not_applicable("neither amounts nor categories can be compared")
        worst = max(parts, key=lambda name: parts[name])
        said = f"Most is lost of {worst}: {format_number(parts[worst])} of 100."
        return self.measured(parts[worst], parts=parts, reading=said)


OverallLoss.name = NAME
