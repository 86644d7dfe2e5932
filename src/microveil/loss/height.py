"""How many of all steps of the hierarchies were climbed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.core.arrays import Floats
from microveil.loss.climbed_levels import ClimbedLevels
from microveil.loss.precision import Precision


@dataclass(frozen=True, kw_only=True)
class Height(Precision, name="height"):
    """The share of all steps of all hierarchies together that values were climbed, on average over records.

    As `Precision`, but every step counts the same: a column with many levels weighs more.
    Reference: Samarati 2001, Protecting respondents' identities in microdata release.
    """

    title = "Height of generalisation"
    reference = "Samarati 2001"
    said: ClassVar[str] = "Together"

    def weigh(self, weights: Floats, columns: list[ClimbedLevels]) -> Floats:
        """As many times as it has steps."""
        return np.asarray(weights * np.array([column.height for column in columns]))
