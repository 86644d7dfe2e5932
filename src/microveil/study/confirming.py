"""A plan run again under fresh keys: whether every draw keeps the limits, and how far its figures scatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean

from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.plan.several_draws import in_every_draw, mean_figure, mean_values
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

    @cached_property
    def mean(self) -> Tried:
        """The plan as one trial: its figures are means, with the lowest and the highest draw.

        A draw that could not be measured, broke a rule of the data or lost a figure that must survive counts for all.
        """
        first = self.draws[0]
        figures = [draw.figures for draw in self.draws]
        worst = next((draw for draw in self.draws if draw.state != "measured"), first)
        lost = [draw.reached for draw in self.draws]
        mean = replace(
            first,
            figures={name: mean_figure([one[name] for one in figures]) for name in in_every_draw(figures)},
            each=tuple(figures),
            draws=len(self.draws),
            state=worst.state,
            problem=f"in a draw under a fresh key: {worst.problem}" if worst is not first else first.problem,
            rules=max((draw.rules for draw in self.draws), key=lambda one: one.after - one.before),
            scenarios=mean_values([draw.scenarios for draw in self.draws]),
            over={name: said for draw in self.draws for name, said in draw.over.items()},
            reached={name: min((one[name] for one in lost), key=lambda one: one.kept) for name in in_every_draw(lost)},
            left_out=max(draw.left_out for draw in self.draws),
        )
        return mean if first.measures is None else mean.judged_by(*(measure.name for measure in first.measures))

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
