"""The bases of what a model asks of classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.data.class_counts import ClassCounts
from microveil.kernels.tables.classes import ValueCounts


class ClassConstraint(ABC):
    """What each class must satisfy.

    Classes that satisfy it still do when they are joined: every constraint here has that property, and its docstring
    says why. `hereditary`: a class that breaks it breaks it in any part, too. Then a generalisation that breaks it for
    too many records says the same of everything finer; otherwise it says so only where no record may be left out.
    """

    hereditary: ClassVar[bool] = False

    @abstractmethod
    def broken(self, counts: ClassCounts) -> Bools:
        """Which classes break it."""

    def among(self, counts: ClassCounts) -> ClassConstraint:
        """The same where these classes are the whole file."""
        return self


class FileLimit(ABC):
    """What all released classes together must satisfy; joining classes, with none left out, never breaks it."""

    @abstractmethod
    def holds(self, counts: ClassCounts) -> bool:
        """Whether these classes, all that is released, satisfy it."""


def shares_of(found: ValueCounts, values: int) -> Floats:
    """The share of each value in all classes together."""
    totals = np.bincount(found.values, weights=found.counts, minlength=values)
    return np.asarray(totals / max(totals.sum(), 1.0))
