"""Base of the losses by generalisation: what is lost where values are released coarser, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.data.schema import check_names
from microveil.loss.coarser_loss import CoarserLoss
from microveil.loss.generalised_cells import GeneralisedCells, generalised_cells
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class GeneralisationLoss(CoarserLoss):
    """Base of losses that are a mean over records in each column.

    A record that is left out loses all it had, and so does a cell whose release does not stand for its value.
    """

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        check_names(self.weights, list(pair.columns), "weights")
        means: dict[str, float] = {}
        dropped = 0
        for name in pair.columns:
            cells = generalised_cells(pair, name)
            lost = self.lost(cells)
            dropped = int(cells.dropped.sum())
            means[name] = float(np.where(cells.dropped, self.drop_price * lost, lost).mean())
        weights = np.array([self.weights.get(name, 1.0) for name in means])
        value = self.join(np.array(list(means.values())), weights, len(pair.rows_before))
        worst = max(means, key=lambda name: means[name])
        told = f"most in {worst} ({format_number(means[worst])} per record)"
        return self.measured(
            value,
            parts={f"loss[{name}]": mean for name, mean in means.items()} | {"left out": float(dropped)},
            reading=self.say(value, told),
        )

    def lost(self, cells: GeneralisedCells) -> Floats:
        """What each original record loses in one column; all it had where it was left out."""
        raise TypeError(f"{type(self).__name__} must implement lost()")

    def join(self, means: Floats, weights: Floats, records: int) -> float:
        """The figure of all columns from the means of each."""
        return float(means @ weights / weights.sum())

    def say(self, value: float, told: str) -> str:
        """How to read the figure."""
        raise BadInput(f"{type(self).__name__} must implement say()")
