"""How many households were found whose members were looked for together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from microveil.attack.guesses import Guesses
from microveil.attack.homes import Homes
from microveil.attack.truth import Truth
from microveil.core.arrays import Ints

FOUND = "households found (%)"


@dataclass(frozen=True)
class HouseholdsFound:
    """The per cent of households with several members that were found, in the way that finds most of them."""

    homes: Homes
    readings: Mapping[str, Guesses]

    def parts(self, truth: Truth) -> dict[str, float]:
        """Whether the released household that was guessed is the one, or one that looks the same."""
        sizes = np.bincount(self.homes.known)
        asked = sizes[self.homes.known] > 1
        own = np.full(truth.sought, -1, dtype=np.int64)
        own[truth.known] = self.homes.released[truth.released]
        looks, alike = _looks(truth.released_classes, self.homes.released)
        best = 0.0
        for guesses in self.readings.values():
            theirs, mine = looks[self.homes.released[guesses.candidate]], looks[own[guesses.sought]]
            hit = np.where(theirs == mine, guesses.probability / alike[mine], 0.0)
            chance = np.bincount(guesses.sought, hit, truth.sought)
            # every member says the same of the household
            best = max(best, float((chance / sizes[self.homes.known])[asked].sum() / (sizes > 1).sum()))
        return {FOUND: min(100.0 * best, 100.0)}


def _looks(classes: Ints, homes: Ints) -> tuple[Ints, Ints]:
    """For each released household a number that those which look the same share, and how many share each."""
    looks = np.empty(int(homes.max()) + 1, dtype=np.int64)
    least = np.full(len(looks), np.iinfo(np.int64).max)
    np.minimum.at(least, homes, classes)  # the class of a record says what its household looks like
    looks = np.unique(least, return_inverse=True)[1].reshape(-1)
    return looks, np.bincount(looks)
