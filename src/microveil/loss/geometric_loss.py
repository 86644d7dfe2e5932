"""The certainty penalty of columns by their geometric mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.numbers import format_number
from microveil.loss.generalisation_loss import GeneralisationLoss
from microveil.loss.generalised_cells import GeneralisedCells


@dataclass(frozen=True, kw_only=True)
class GeometricLoss(GeneralisationLoss, name="geometric-loss"):
    """The geometric mean over columns of one plus their certainty penalty, less one.

    Use it where one column must not be lost for the sake of the others: it is less than the arithmetic mean (`NCP`)
    where columns lose unequally, so that what minimises it spares some columns.
    Reference: Prasser, Kohlmayer & Kuhn 2016, The importance of context: risk-based de-identification of biomedical
    data; Iyengar 2002, Transforming data to satisfy privacy constraints.
    """

    title = "Geometric mean of certainty penalties"
    reference = "Prasser, Kohlmayer & Kuhn 2016"

    def lost(self, cells: GeneralisedCells) -> Floats:
        return cells.hidden

    def join(self, means: Floats, weights: Floats, records: int) -> float:
        return float(np.expm1(np.log1p(means) @ weights / weights.sum()))

    def say(self, value: float, told: str) -> str:
        return f"By the geometric mean of columns {format_number(value)} of their values is lost (0 to 1), {told}."
