"""A plan run again under fresh keys: whether every draw keeps the limits, and how far its figures scatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.study.tried import Tried

DRAWS = 4  # besides the one of the search


@dataclass(frozen=True)
class Confirmed:
    """All draws of one plan, that of the search first."""

    draws: tuple[Tried, ...]

    @property
    def trial(self) -> Tried:
        """The trial of the search."""
        return self.draws[0]

    @property
    def losses(self) -> tuple[float, ...]:
        """The loss of every draw that was measured."""
        return tuple(draw.loss for draw in self.draws if draw.loss is not None)

    @property
    def risks(self) -> tuple[float, ...]:
        """The risk of every draw that was measured."""
        return tuple(draw.risk for draw in self.draws if draw.risk is not None)

    @property
    def words(self) -> str:
        """The spread in one sentence."""
        return (
            f"In these {len(self.draws)} draws the loss is {_spread(self.losses)} and the risk {_spread(self.risks)}."
        )

    def to_json(self) -> Json:
        """The draws in plain JSON terms."""
        return {"plan": self.trial.plan.to_mapping(), "losses": list(self.losses), "risks": list(self.risks)}


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "not measured"
    if max(values) == min(values):
        return f"{format_number(values[0])} each time"
    ends = f"{format_number(min(values))} to {format_number(max(values))}"
    return f"{format_number(fmean(values))} on average ({ends})"
