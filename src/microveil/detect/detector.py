"""A detector: what it looks for, and how it tells how much of a column is that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from microveil.detect.column import Look


@dataclass(frozen=True)
class Detector:
    """Something that identifies people, and the share of the values from which a column is taken for it.

    `share` gives the share of the sampled values that look so, `role` is what such a column is proposed as.
    `by_values` is False for evidence that lies only in how many values differ: it says nothing about a column whose
    numbers a method has redrawn.
    """

    what: str  # in the plural, as in "98 % of its values look like ..."
    share: Callable[[Look], float]
    enough: float = 0.5
    by_values: bool = True
    sentence: str = "{share} of its values look like {what}"
    role: str = "identifier"

    def why(self, look: Look, share: float) -> str:
        """What was found, in words that follow the name of the column."""
        shown = "less than 1 %" if share < 0.01 else f"{int(100 * share)} %"
        return self.sentence.format(share=shown, what=self.what, distinct=look.distinct, observed=look.observed)


def of_texts(matches: Callable[[str], bool], forms: tuple[str, ...] = ("text", "whole")) -> Callable[[Look], float]:
    """The share of the sampled texts that match."""

    def share(look: Look) -> float:
        if look.form not in forms or not look.texts:
            return 0.0
        return sum(map(matches, look.texts)) / len(look.texts)

    return share
