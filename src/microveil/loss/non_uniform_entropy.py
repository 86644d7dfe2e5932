"""Bits that are lost when values are joined."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.core.arrays import Floats
from microveil.core.numbers import format_number
from microveil.loss.generalisation_loss import GeneralisationLoss
from microveil.loss.generalised_cells import GeneralisedCells


@dataclass(frozen=True, kw_only=True)
class NonUniformEntropy(GeneralisationLoss, name="non-uniform-entropy"):
    """The bits that all cells together tell less: of the share of a value among those it was joined with.

    Frequent values that are joined with rare ones lose little, rare ones much. Values that are released are taken for
    true; `EntropyLoss` asks what can be told from the release, and suits exchanged values.
    Reference: de Waal & Willenborg 1999, Information loss through global recoding and local suppression; Gionis & Tassa
    2009, k-anonymization with minimal loss of information.
    """

    unit = "bits"
    title = "Non-uniform entropy"
    reference = "de Waal & Willenborg 1999; Gionis & Tassa 2009"

    def lost(self, cells: GeneralisedCells) -> Floats:
        return cells.bits

    def join(self, means: Floats, weights: Floats, records: int) -> float:
        return float(means @ weights) * records

    def say(self, value: float, told: str) -> str:
        return f"All cells together tell {format_number(value)} bits less than they did, {told}."
