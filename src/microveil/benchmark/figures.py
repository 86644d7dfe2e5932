"""What a benchmark measures of every release, each figure under a name of its own."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.core.measured import Better
from microveil.measure import Measure

PIL, IL, SCORE, WORST = "PIL", "IL", "score", "worst"
PIL_AS_PRINTED = "PIL as published"


@dataclass(frozen=True)
class Taken:
    """A figure that is taken: by which measure, and whether it tells of loss or of risk."""

    measure: Measure
    tells: str

    @property
    def better(self) -> Better:
        """Which end of the scale is good."""
        return self.measure.better


def taken() -> dict[str, Taken]:
    """All figures by the names that league tables and correlations use."""
    from microveil import loss, risk, score
    from microveil.plan import WorstCase

    return {
        PIL: Taken(loss.PIL(detail="none"), "loss"),
        PIL_AS_PRINTED: Taken(loss.PIL(quantiles="own-record", detail="none"), "loss"),
        IL: Taken(loss.InformationLoss(form="table"), "loss"),
        "propensity": Taken(loss.Propensity(), "loss"),
        "SSE": Taken(loss.SSE(), "loss"),
        "interval overlap": Taken(loss.IntervalOverlap(), "loss"),
        SCORE: Taken(score.Score(loss=loss.InformationLoss()), "both"),
        "rank interval": Taken(risk.RankInterval(), "risk"),
        "distance linkage": Taken(risk.DistanceLinkage(), "risk"),
        WORST: Taken(WorstCase(), "risk"),
    }
