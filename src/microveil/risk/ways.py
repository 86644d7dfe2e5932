"""The ways in which an intruder may compare two files: what every worst case tries, listed in this place alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from microveil.risk.files import Direction, Scale, Standardise


@dataclass(frozen=True)
class Way:
    """One way of comparing; the fields are those of the linkage measures.

    None of them is the best for every method: averages shrink spreads, so that files each brought to its own spread
    come apart; swapping keeps ranks; of equal averages the record in the middle is found from the release only.
    """

    scale: Scale = "values"
    standardise: Standardise = "own"
    direction: Direction = "original"

    def title(self, attack: str) -> str:
        """The name of an attack in this way."""
        how = [attack if self.scale == "values" else f"{attack} by {self.scale}"]
        how += ["on the original's scale"] if self.standardise == "original" else []
        how += ["from released to original records"] if self.direction == "masked" else []
        return ", ".join(how)


WAYS = (
    Way("values", "own", "original"),
    Way("values", "own", "masked"),
    Way("values", "original", "original"),
    Way("values", "original", "masked"),
    Way("ranks", "own", "original"),
    Way("ranks", "own", "masked"),
    Way("ranks", "original", "original"),
    Way("ranks", "original", "masked"),
)


def ways_to_try(amounts_changed: bool) -> tuple[Way, ...]:
    """All ways of comparing, the one of the papers first; where no amount was changed their scale says nothing new."""
    return WAYS if amounts_changed else tuple(way for way in WAYS if (way.scale, way.standardise) == ("values", "own"))


def way_of(measure: Any) -> Way:
    """The way in which a linkage measure compares; one without a direction looks for originals."""
    return Way(measure.scale, measure.standardise, getattr(measure, "direction", Way.direction))
