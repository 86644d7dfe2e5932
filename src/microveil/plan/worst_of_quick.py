"""The worst case over attacks as a measure, so that plans can be compared by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from microveil.core.measured import Measured, NotApplicable
from microveil.measure import Measure, Pair, Scenario
from microveil.plan.quick_attack import quick_worst_case
from microveil.plan.worst_case import NAME


@dataclass(frozen=True, kw_only=True)
class WorstCase(Measure):
    """Per cent of records that the best of all attacks which take seconds re-identifies, over the scenarios stated too.

    It is the figure of a verdict. It is not registered: an evaluation has its own, over every attack it was asked for.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    title: ClassVar[str] = "Worst case over attacks"

    scenarios: Annotated[tuple[Scenario, ...], "the intruders considered besides"] = ()

    def on(self, pair: Pair) -> Measured | NotApplicable:
        """The highest figure, with the name of the attack."""
        return quick_worst_case(pair, self.scenarios)


WorstCase.name = NAME
