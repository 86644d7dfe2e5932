"""k-map and presence by a register: how many of its people share the keys of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.core.arrays import Bools
from microveil.data.class_counts import ClassCounts
from microveil.data.constraints.base import ClassConstraint, FileLimit


@dataclass(frozen=True)
class InRegister(ClassConstraint):
    """At least so many people of file and register share the keys: a union has more of them, a part no more."""

    least: int
    hereditary: ClassVar[bool] = True

    def broken(self, counts: ClassCounts) -> Bools:
        """Which classes have too few people."""
        return counts.people < self.least


@dataclass(frozen=True)
class Presence(ClassConstraint):
    """At most this share of the people with these keys are in the file (delta-presence, Nergiz, Atzori & Clifton 2007).

    Below 1 a class that holds has its people in the register, and the share of a union lies between those of its
    classes. It is not hereditary: a class may hold too many because one of its parts does.
    """

    most: float

    def broken(self, counts: ClassCounts) -> Bools:
        """Which classes tell too well who is in the file."""
        return np.asarray(counts.sizes > self.most * counts.people * (1 + 1e-12))


@dataclass(frozen=True)
class FewAlone(FileLimit):
    """At most this share of the released records are alone with their keys in the register; unions are not alone."""

    most: float

    def holds(self, counts: ClassCounts) -> bool:
        """Whether few enough are alone."""
        alone = counts.sizes[counts.people == 1].sum()
        return bool(alone <= self.most * counts.sizes.sum() * (1 + 1e-12))
