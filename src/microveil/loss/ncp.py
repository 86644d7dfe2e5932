"""The normalised certainty penalty."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.core.arrays import Floats
from microveil.core.numbers import format_percent
from microveil.loss.generalisation_loss import GeneralisationLoss
from microveil.loss.generalised_cells import GeneralisedCells


@dataclass(frozen=True, kw_only=True)
class NCP(GeneralisationLoss, name="ncp"):
    """The share of the other values of a column from which that of a record can no longer be told, on average.

    0 where every value is as it was, 1 where none can be told from any other. Values count, not how far apart numbers
    are. It is the loss that `mask.Lattice` minimises by default.
    Reference: Xu, Wang, Pei, Wang, Shi & Fu 2006, Utility-based anonymization using local recoding.
    """

    title = "Normalised certainty penalty"
    reference = "Xu, Wang, Pei, Wang, Shi & Fu 2006"

    def lost(self, cells: GeneralisedCells) -> Floats:
        return cells.hidden

    def say(self, value: float, told: str) -> str:
        return f"A value can on average no longer be told from {format_percent(value)} of the others, {told}."
