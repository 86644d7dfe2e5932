"""Attacks by one of the intruders that somebody states: they know what the scenario says, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Self

from microveil.core.parameters import Example
from microveil.measure.measure import Measure
from microveil.measure.pair import Pair
from microveil.measure.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class InScenario(Measure):
    """Base of attacks that are told of stated scenarios too, each by what its intruder knows."""

    scenario: Annotated[
        Scenario | None,
        Example({"name": "neighbour", "keys": ["age", "sex"], "known": ["income"]}),
        "the intruder, by a scenario; None: one who knows all that is released",
    ] = None

    def in_scenario(self, scenario: Scenario) -> Self | None:
        """The same attack by the intruder of a scenario; None where it is about another one already."""
        return replace(self, scenario=scenario) if self.reidentifies and self.scenario is None else None

    @property
    def stated_scenarios(self) -> tuple[Scenario, ...]:
        return () if self.scenario is None else (self.scenario,)

    def choose(self, pair: Pair) -> tuple[str, ...]:
        """The columns that the intruder knows; what was not released is of no use to them."""
        if self.scenario is None:
            return pair.known
        return tuple(
            name for name in self.scenario.columns if name in pair.before.columns and name in pair.after.columns
        )
