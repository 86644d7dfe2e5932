"""The combinations of key values and the records most at risk, and why, in words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.words import list_all
from microveil.plan.assessed_keys import KeyClasses, KeyWords

COMBINATIONS = 10
RECORDS = 5
_MOST_SUBSETS = 40_000
_BITS = 62  # columns of a row that is kept as one whole number
_TOLD = 2  # smallest combinations told in full


@dataclass(frozen=True)
class RiskyCombination:
    """One combination of key values: how many records have it, how many people that stands for, and their risk."""

    values: dict[str, str]
    records: int
    people: float
    risk: float

    @property
    def words(self) -> str:
        """The combination in words."""
        return list_all([f"{key} {value}" for key, value in self.values.items()])

    def to_json(self) -> dict[str, Any]:
        """The combination in plain JSON terms."""
        return {"values": self.values, "records": self.records, "people": self.people, "risk": self.risk}


@dataclass(frozen=True)
class RiskyRecord:
    """One record most at risk: its row in the file (the first is 1), its risk, and what singles it out."""

    row: int
    risk: float
    why: str

    def to_json(self) -> dict[str, Any]:
        """The record in plain JSON terms."""
        return {"row": self.row, "risk": self.risk, "why": self.why}


def most_at_risk(classes: KeyClasses, risk: Floats, score: Floats | None) -> Ints:
    """The classes by falling risk; among equals the more special, then those with rarer values come first."""
    rarity = np.zeros(len(risk))
    for j in range(classes.codes.shape[1]):
        shifted = classes.codes[:, j] + 1
        rarity += np.log(np.bincount(shifted, weights=classes.size)[shifted])
    special = np.zeros(len(risk)) if score is None else -score[classes.first]
    # equal risks may differ in the last digits
    order = np.lexsort((classes.first, rarity.round(9), special.round(9), -risk.round(12)))
    return np.asarray(order[: max(COMBINATIONS, RECORDS)], dtype=np.int64)


def risky_combinations(words: KeyWords, classes: KeyClasses, risk: Floats, order: Ints) -> tuple[RiskyCombination, ...]:
    """The combinations of key values with the highest risk."""
    return tuple(
        RiskyCombination(
            {key: words.value(key, int(classes.first[i])) for key in words.keys},
            int(classes.size[i]),
            float(classes.people[i]),
            float(risk[i]),
        )
        for i in order[:COMBINATIONS]
    )


def risky_records(words: KeyWords, classes: KeyClasses, risk: Floats, order: Ints) -> tuple[RiskyRecord, ...]:
    """The records with the highest risk, one of each combination, with the reason."""
    return tuple(
        RiskyRecord(int(classes.first[i]) + 1, float(risk[i]), _why(words, classes, int(i))) for i in order[:RECORDS]
    )


def _why(words: KeyWords, classes: KeyClasses, which: int) -> str:
    row = int(classes.first[which])
    others = int(classes.size[which]) - 1
    if others:
        people = "1 other record" if others == 1 else f"{others:,} other records"
        return f"shares its keys with {people}: {words.said(row)}"
    found = smallest_uniques(classes.codes, which)
    told = [words.said(row, [words.keys[j] for j in subset]) for subset in found[:_TOLD]]
    text = f"alone with {', and with '.join(told)}"
    more, size = len(found) - _TOLD, len(found[0])
    if more <= 0:
        return text
    what = "another value" if size == 1 else f"another combination of {size} keys"
    many = f"{more} other values" if size == 1 else f"{more} other combinations of {size} keys"
    return f"{text}, and with {what if more == 1 else many}"


def smallest_uniques(codes: Ints, which: int) -> list[tuple[int, ...]]:
    """The smallest sets of columns on which one of these distinct rows agrees with no other.

    A missing value (-1) singles the row out only where nothing else does. Where so many columns are needed that not
    every set can be looked at, one set of which no column can be spared is given.
    """
    own = codes[which]
    others = np.delete(codes, which, axis=0)
    observed = [j for j in range(len(own)) if own[j] >= 0]
    differs = others != own
    columns = observed if differs[:, observed].any(axis=1).all() else list(range(len(own)))
    found = _looked_through(differs[:, columns]) or [_without_spare(differs[:, columns])]
    return [tuple(columns[j] for j in subset) for subset in found]


def _looked_through(differs: Bools) -> list[tuple[int, ...]]:
    """All smallest sets of columns in which every other row differs somewhere; [] if there are too many to look at."""
    width = differs.shape[1]
    patterns = _patterns(differs)
    looked_at = 0
    for size in range(1, width + 1):
        looked_at += comb(width, size)
        if looked_at > _MOST_SUBSETS:
            return []
        found = [s for s in combinations(range(width), size) if patterns[:, s].any(axis=1).all()]
        if found:
            return found
    return []


def _patterns(differs: Bools) -> Bools:
    """The different rows; where they fit, each is one whole number, which is sorted much faster than a row."""
    width = differs.shape[1]
    if width > _BITS:
        return np.unique(differs, axis=0)
    powers = np.left_shift(np.int64(1), np.arange(width, dtype=np.int64))
    numbers = np.zeros(len(differs), dtype=np.int64)
    for column, power in zip(differs.T, powers, strict=True):
        numbers += column * power
    return np.asarray(np.unique(numbers)[:, None] & powers != 0, dtype=np.bool_)


def _without_spare(differs: Bools) -> tuple[int, ...]:
    """One set of columns in which every other row differs, none of which can be spared: the most telling come first."""
    chosen: list[int] = []
    left = differs
    while len(left):
        chosen.append(int(left.sum(axis=0).argmax()))
        left = left[~left[:, chosen[-1]]]
    for column in list(chosen):
        rest = [other for other in chosen if other != column]
        if rest and differs[:, rest].any(axis=1).all():
            chosen = rest
    return tuple(sorted(chosen))
