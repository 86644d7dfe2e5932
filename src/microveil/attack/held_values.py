"""A column that was released as classes: which records may be whose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.attack.claims import Holds
from microveil.core.arrays import Bools, Ints
from microveil.measure.classes import Classes


@dataclass(frozen=True)
class HeldValues:
    """The value of each person, the class that each record shows, and the values of each class; -1 is a gap."""

    known: Ints
    shown: Ints
    holds: Holds

    @classmethod
    def of(cls, classes: Classes, people: Ints, records: Ints) -> HeldValues:
        """Those of some people, whose records are these."""
        return cls(classes.code[people], classes.released[records], Holds.by(classes))

    def agree(self, people: Ints) -> Bools:
        """For some people (rows) the records whose classes hold their values; who misses one, or a gap, fits any."""
        known = self.known[people][:, None]
        anything = (known < 0) | (self.shown < 0)[None, :]
        if self.holds.sets is not None:
            return anything | self.holds.sets[:, known[:, 0]].T[:, self.shown]
        return np.asarray(anything | ((self.holds.low[self.shown] <= known) & (known <= self.holds.high[self.shown])))
