"""The score of 2001 and its bounded version: one figure of loss and risk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, Grid, Range, When
from microveil.loss import PIL, InformationLoss
from microveil.loss.base import Loss
from microveil.measure import Measure, MeasureFamily, Pair, Question
from microveil.risk import DistanceLinkage, ProbabilisticLinkage, RankInterval, SDInterval

SCORE = MeasureFamily(
    "score",
    title="Scores",
    one="score",
    order=80,
    heading="Loss and risk in one figure",
    asked=60,
    questions=(
        Question(
            "How good is it in one figure?",
            "Loss and risk weighed against one another; no weights suit everybody, so that the parts decide.",
        ),
    ),
)

Parts = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Score(Measure, name="score", family=SCORE):
    """Half of what is lost and half of what is given away, in per cent: lower is better.

    Use it to rank many settings of methods as the literature does. With `loss=InformationLoss()` it is the score of
    2001: (IL + ((0.5 DLD + 0.5 PLD) + ID) / 2) / 2, where DLD and PLD are the per cent of records linked by distance
    and by agreement and ID is the per cent of values in narrow intervals. That loss has no upper limit and may outweigh
    every risk; with `loss=PIL()` the score is bounded by 100. `risk` puts one figure in place of linkage and intervals,
    such as that of an attack. No weights do justice to all methods: look at the parts, which are always told.
    Reference: Domingo-Ferrer & Torra 2001; the survey of inference control, Example 1.4.
    """

    loss: Annotated[Loss, Grid((InformationLoss(), PIL())), "what is lost: information-loss as in 2001, or pil"]
    risk: Annotated[
        Measure | None,
        Example("global-linkage"),
        "what is given away, as one figure in per cent; none: linkage and intervals as in 2001",
    ] = None
    distance: Annotated[DistanceLinkage, When(risk=None), "how records are linked by distance (DLD)"] = field(
        default_factory=DistanceLinkage
    )
    agreement: Annotated[ProbabilisticLinkage, When(risk=None), "how records are linked by agreement (PLD)"] = field(
        default_factory=ProbabilisticLinkage
    )
    intervals: Annotated[
        Literal["rank", "sd", "both"], When(risk=None), "intervals (ID) by ranks, by deviations, or the mean of both"
    ] = "rank"
    loss_weight: Annotated[float, Range(ge=0, le=1), "weight of the loss; the rest is that of the risk"] = 0.5
    linkage_weight: Annotated[
        float, Range(ge=0, le=1), When(risk=None), "weight of linkage in the risk; the rest is that of intervals"
    ] = 0.5
    distance_weight: Annotated[
        float, Range(ge=0, le=1), When(risk=None), "weight of DLD in linkage; the rest is that of PLD"
    ] = 0.5

    paired: ClassVar[bool] = True
    follows_noise: ClassVar[bool] = False  # noise loses more and gives away less
    title: ClassVar[str] = "Score"
    unit: ClassVar[str] = "%"
    words_of_parts: ClassVar[dict[str, str]] = {
        "DLD": "linked by distance",
        "PLD": "linked by agreement",
        "ID": "values in narrow intervals",
    }
    also_try = (
        {"risk": SDInterval()},
        {"loss": PIL(), "intervals": "both"},
    )
    reference: ClassVar[str] = "Domingo-Ferrer & Torra 2001"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        found = {name: measure.on(pair) for name, measure in self._measures().items()}
        silent = [one.reason for one in found.values() if isinstance(one, NotApplicable)]
        if silent:
            return self.not_applicable("; ".join(dict.fromkeys(silent)))
        told = {name: one for name, one in found.items() if isinstance(one, Measured)}
        parts = self.joined({name: one.value for name, one in told.items()})
        highest = self.joined({name: one.bounds[1] for name, one in told.items()})["score"]
        unlimited = told["loss"].bounds[1] > 100
        value = parts.pop("score")
        return self.measured(
            value,
            bounds=(0.0, highest),
            parts=parts,
            reading=(
                f"A loss of {format_number(parts['loss'])} and a risk of {format_number(parts['risk'])} make a score "
                f"of {format_number(value)}; an unprotected file in which everybody is found has "
                f"{format_number(100 * (1 - self.loss_weight))}."
            ),
            notes=("the loss has no upper limit and may outweigh the risk: look at the parts",) if unlimited else (),
        )

    def _measures(self) -> dict[str, Measure]:
        """The measures whose figures are joined, by the names of their parts."""
        if self.risk is not None:
            return {"loss": self.loss, "risk": self.risk}
        intervals: dict[str, Measure] = {}
        if self.intervals in ("rank", "both"):
            intervals["RID"] = RankInterval()
        if self.intervals in ("sd", "both"):
            intervals["SDID"] = SDInterval()
        return {"loss": self.loss, "DLD": self.distance, "PLD": self.agreement, **intervals}

    def joined(self, parts: Parts) -> Parts:
        """The parts with the figures that they are joined to, the score last.

        >>> Score(loss=PIL()).joined({"loss": 20.0, "DLD": 10.0, "PLD": 30.0, "RID": 60.0})["score"]
        30.0
        """
        found = dict(parts)
        if self.risk is None:
            intervals = [found[name] for name in ("RID", "SDID") if name in found]
            found["ID"] = sum(intervals) / len(intervals)
            found["linkage"] = _weighed(found["DLD"], found["PLD"], self.distance_weight)
            found["risk"] = _weighed(found["linkage"], found["ID"], self.linkage_weight)
        found["score"] = _weighed(found["loss"], found["risk"], self.loss_weight)
        return found


def _weighed(one: float, other: float, weight: float) -> float:
    """Two figures by their weights; what weighs nothing does not count, however large it is."""
    if weight in (0.0, 1.0):
        return one if weight else other
    return weight * one + (1 - weight) * other
