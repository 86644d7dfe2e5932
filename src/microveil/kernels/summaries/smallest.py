"""The first records of each of some groups, by where they stand in the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints


@dataclass(frozen=True)
class FirstPlaces:
    """Groups and places, by group and then by place: of each group at most as many as are needed."""

    groups: Ints
    places: Ints
    needed: Ints  # of each group

    @classmethod
    def of(cls, groups: Ints, places: Ints, needed: Ints) -> FirstPlaces:
        """Those of some records, given the group of each."""
        order = np.lexsort((places, groups))
        groups, places = groups[order], places[order]
        rank = np.arange(len(groups)) - np.searchsorted(groups, groups)
        kept = rank < needed[groups]
        return cls(groups[kept], places[kept], needed)

    def merge(self, other: FirstPlaces) -> FirstPlaces:
        """Those of the records of both."""
        groups = np.concatenate([self.groups, other.groups])
        return self.of(groups, np.concatenate([self.places, other.places]), self.needed)
