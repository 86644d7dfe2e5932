"""What an attack answers: for every sought record candidates with probabilities, and of whom it is sure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from microveil.attack.beside import Beside
from microveil.attack.truth import Truth
from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.errors import BadInput

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Guesses:
    """Candidates of each sought record (row i: those from start[i] to start[i + 1]) with their probabilities.

    Probabilities of one record sum to 1 at most: what is left stands for candidates that are not listed.
    """

    start: Ints
    candidate: Ints
    probability: Floats

    def __post_init__(self) -> None:
        total = np.bincount(self.sought, weights=self.probability, minlength=len(self.start) - 1)
        if (total > 1 + _ROUNDING).any() or (self.probability < 0).any():
            raise BadInput("the probabilities of a sought record sum to more than 1, or one is negative")

    @classmethod
    def of_sets(cls, start: Ints, candidate: Ints, sizes: Ints | None = None) -> Guesses:
        """Sets of equally good candidates; `sizes` where not all of a set are listed."""
        listed = np.diff(start)
        each = 1.0 / np.maximum(listed if sizes is None else sizes, 1)
        return cls(start, candidate, np.repeat(each, listed))

    @classmethod
    def of_one_each(cls, candidate: Ints) -> Guesses:
        """One candidate of each sought record, -1 for none."""
        named = candidate >= 0
        return cls(np.concatenate([[0], np.cumsum(named)]), candidate[named], np.ones(int(named.sum())))

    @classmethod
    def of_nearest(cls, start: Ints, candidate: Ints, apart: Floats, tolerance: float = 1e-9) -> Guesses:
        """Of the candidates of each sought record those at least distance; equally near ones share the guess."""
        listed = np.diff(start)
        filled = np.flatnonzero(listed > 0)
        least = np.full(len(listed), np.inf)
        if len(filled):
            least[filled] = np.minimum.reduceat(apart, start[:-1][filled])
        bound = np.repeat(least + tolerance * np.abs(least), listed)
        near = apart <= bound
        kept = np.bincount(np.repeat(np.arange(len(listed)), listed)[near], minlength=len(listed))
        return cls.of_sets(np.concatenate([[0], np.cumsum(kept)]), candidate[near])

    @property
    def sought(self) -> Ints:
        """The sought record of each candidate."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def found(self, truth: Truth) -> Floats:
        """The probability that each sought record is found."""
        return truth.found(self.sought, self.candidate, self.probability)

    def right(self, truth: Truth, claimed: Bools) -> float:
        """The expected number of true ones among the claims about these sought records."""
        chosen = claimed[self.sought]
        chances = truth.chances(self.sought[chosen], self.candidate[chosen])
        return float(chances @ self.probability[chosen])


@dataclass(frozen=True)
class Answer:
    """What an attack found: guesses under the name of each way of reading them, and the records it is sure of.

    The figure of the attack is that of the best way; `sure` claims are judged by the guesses of the first. What stands
    `beside` is no link: values reconstructed, groups found again.
    """

    readings: Mapping[str, Guesses]
    sure: Bools
    notes: tuple[str, ...] = field(default=())
    beside: tuple[Beside, ...] = field(default=())


@dataclass(frozen=True)
class Finding:
    """A figure that follows from the view alone, whoever is who: the answer of attacks that look for no one's record.

    `chances` is the probability that each known record is exposed; `precision` the share of the `certain` claims that
    is true by what the view shows.
    """

    value: float
    certain: float
    precision: float
    baseline: float
    chances: Floats
    reading: str
    parts: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
