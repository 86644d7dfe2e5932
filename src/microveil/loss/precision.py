"""How far up their hierarchies values were released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_percent
from microveil.core.words import list_some
from microveil.data.schema import check_names
from microveil.loss.climbed_levels import ClimbedLevels, climbed_levels
from microveil.loss.coarser_loss import CoarserLoss
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class Precision(CoarserLoss, name="precision"):
    """The share of its hierarchy that a value was climbed, on average over records and columns: one less precision.

    0 where every value is as it was, 1 at the top of all hierarchies. A record that was left out is at the top, and so
    is a value that is at no level of its hierarchy. Columns of categories without one have a single step, to `*`;
    amounts and ordered categories that were recoded without a hierarchy cannot be told.
    Reference: Sweeney 2002, Achieving k-anonymity privacy protection using generalization and suppression.
    """

    title = "Loss of precision"
    reference = "Sweeney 2002"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        check_names(self.weights, list(pair.columns), "weights")
        found = {name: climbed_levels(pair, name) for name in pair.columns}
        told = {name: climbed for name, climbed in found.items() if climbed is not None}
        if len(told) < len(found):
            silent = list_some([name for name, climbed in found.items() if climbed is None])
            return self.not_applicable(f"{silent} was recoded without a hierarchy; state one, or name other columns")
        means = {name: self._mean(climbed) for name, climbed in told.items()}
        weights = self.weigh(np.array([self.weights.get(name, 1.0) for name in means]), list(told.values()))
        value = float(np.array(list(means.values())) @ weights / weights.sum())
        worst = max(means, key=lambda name: means[name])
        return self.measured(
            value,
            parts={f"climbed[{name}]": mean for name, mean in means.items()},
            reading=f"{self.said} {format_percent(value)} of the steps of their hierarchies were climbed, most in "
            f"{worst} ({format_percent(means[worst])}).",
        )

    said: ClassVar[str] = "On average over columns"

    def weigh(self, weights: Floats, columns: list[ClimbedLevels]) -> Floats:
        """How much each column counts."""
        return weights

    def _mean(self, climbed: ClimbedLevels) -> float:
        share = climbed.levels / climbed.height
        return float(np.where(climbed.dropped, self.drop_price, share).mean())
