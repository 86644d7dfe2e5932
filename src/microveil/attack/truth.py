"""Whose released record is whose: what guesses are compared with, and what no attack sees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from microveil.core.arrays import Floats, Ints


@dataclass(frozen=True)
class Truth:
    """The true pairs of a view: `known` and `released` are rows of its two tables, one entry for each pair.

    `rows` is the row of each sought record in the original file. Rows of one class are equal in all that the view
    shows: which of them is meant is decided by chance, so that figures depend on no order of rows. `groups` is the
    group of each released record by the last step that formed some, where one did.
    """

    rows: Ints
    known: Ints
    released: Ints
    known_classes: Ints
    released_classes: Ints
    groups: Ints | None = None

    @property
    def sought(self) -> int:
        """How many records are sought."""
        return len(self.known_classes)

    @cached_property
    def known_sizes(self) -> Ints:
        """How many sought records are equal, by class."""
        return np.bincount(self.known_classes)

    @cached_property
    def released_sizes(self) -> Ints:
        """How many released records are equal, by class."""
        return np.bincount(self.released_classes)

    @property
    def chance(self) -> float:
        """The per cent found by guessing."""
        return 100.0 * len(self.known) / (self.sought * len(self.released_classes))

    @cached_property
    def _of_pairs(self) -> Ints:
        return self._code(self.known_classes[self.known], self.released_classes[self.released])

    def _code(self, known: Ints, released: Ints) -> Ints:
        """One number for a class of sought and a class of released records."""
        return np.asarray(known * len(self.released_sizes) + released, dtype=np.int64)

    def chances(self, sought: Ints, released: Ints) -> Floats:
        """For claims that a released record is of somebody sought, the probability of each that it is true."""
        a, b = self.known_classes[sought], self.released_classes[released]
        kinds, counts = np.unique(self._of_pairs, return_counts=True)
        true = _looked_up(self._code(a, b), kinds, np.asarray(counts, dtype=np.float64))
        return np.asarray(true / (self.known_sizes[a] * self.released_sizes[b]), dtype=np.float64)

    def found(self, sought: Ints, released: Ints, probability: Floats) -> Floats:
        """The probability that each sought record is found by guesses with these probabilities."""
        a, b = self.known_classes[sought], self.released_classes[released]
        kinds, which = np.unique(self._code(a, b), return_inverse=True)
        mass = np.asarray(np.bincount(which.reshape(-1), probability, len(kinds)), dtype=np.float64)
        of_pair = _looked_up(self._of_pairs, kinds, mass)
        a, b = self.known_classes[self.known], self.released_classes[self.released]
        each = of_pair / (self.known_sizes[a] * self.released_sizes[b])
        return np.asarray(np.bincount(self.known, weights=each, minlength=self.sought), dtype=np.float64)


def _looked_up(codes: Ints, kinds: Ints, figures: Floats) -> Floats:
    """The figure of each code, 0 where there is none."""
    if not len(kinds):
        return np.zeros(len(codes))
    where = np.minimum(np.searchsorted(kinds, codes), len(kinds) - 1)
    return np.where(kinds[where] == codes, figures[where], 0.0)
