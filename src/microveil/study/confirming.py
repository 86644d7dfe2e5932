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
    def less_is_better(self) -> tuple[float, float]:
        """The means of loss and risk over the draws that were measured, turned round where more is better."""
        each = [draw.less_is_better for draw in self.draws if draw.loss is not None and draw.risk is not None]
        return fmean(loss for loss, _ in each), fmean(risk for _, risk in each)

    def to_json(self) -> Json:
        """The draws in plain JSON terms."""
        return {"plan": self.trial.plan.to_mapping(), "losses": list(self.losses), "risks": list(self.risks)}


def spread(values: Sequence[float | None]) -> str:
    """A figure of one draw or of several: the mean with the least and the greatest.

    >>> spread([2.0]), spread([2.0, 2.0]), spread([1.0, 3.0])
    ('2', '2 each time', '2 on average (1 to 3)')
    """
    known = [value for value in values if value is not None]
    if not known:
        return "not measured"
    if len(known) == 1:
        return format_number(known[0])
    if max(known) == min(known):
        return f"{format_number(known[0])} each time"
    return f"{format_number(fmean(known))} on average ({format_number(min(known))} to {format_number(max(known))})"
