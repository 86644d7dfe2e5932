"""The combinations of key values and the records most at risk, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microveil.plan.assessed_keys import Float, Int, KeyClasses, KeyWords, listed

COMBINATIONS = 10
RECORDS = 5
_MOST_SUBSETS = 40_000
_MOST_BITS = 62
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
        return listed([f"{key} {value}" for key, value in self.values.items()])

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


def most_at_risk(classes: KeyClasses, risk: Float, score: Float | None) -> Int:
    """The classes by falling risk; among equals the more special, then those with rarer values come first."""
    rarity = np.zeros(len(risk))
    for j in range(classes.codes.shape[1]):
        shifted = classes.codes[:, j] + 1
        rarity += np.log(np.bincount(shifted, weights=classes.size)[shifted])
    special = np.zeros(len(risk)) if score is None else -score[classes.first]
    # equal risks may differ in the last digits
    order = np.lexsort((classes.first, rarity.round(9), special.round(9), -risk.round(12)))
    return np.asarray(order[: max(COMBINATIONS, RECORDS)], dtype=np.int64)


def risky_combinations(words: KeyWords, classes: KeyClasses, risk: Float, order: Int) -> tuple[RiskyCombination, ...]:
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


def risky_records(words: KeyWords, classes: KeyClasses, risk: Float, order: Int) -> tuple[RiskyRecord, ...]:
    """The records with the highest risk, one of each combination, with the reason."""
    return tuple(
        RiskyRecord(int(classes.first[i]) + 1, float(risk[i]), _why(words, classes, int(i))) for i in order[:RECORDS]
    )


def _why(words: KeyWords, classes: KeyClasses, which: int) -> str:
    row, width = int(classes.first[which]), len(words.keys)
    others = int(classes.size[which]) - 1
    if others:
        people = "1 other record" if others == 1 else f"{others:,} other records"
        return f"shares its keys with {people}: {words.said(row)}"
    found = smallest_uniques(classes.codes, which)
    if not found:
        return f"alone with all {width} keys together: {words.said(row)}"
    told = [words.said(row, [words.keys[j] for j in subset]) for subset in found[:_TOLD]]
    text = f"alone with {', and with '.join(told)}"
    more, size = len(found) - _TOLD, len(found[0])
    if more <= 0:
        return text
    what = "another value" if size == 1 else f"another combination of {size} keys"
    many = f"{more} other values" if size == 1 else f"{more} other combinations of {size} keys"
    return f"{text}, and with {what if more == 1 else many}"


def smallest_uniques(codes: Int, which: int) -> list[tuple[int, ...]]:
    """The smallest sets of columns on which one of these distinct rows agrees with no other; [] if the search is long.

    A missing value (-1) singles the row out only where nothing else does.
    """
    own = codes[which]
    observed = [j for j in range(len(own)) if own[j] >= 0]
    return _alone_on(codes, which, observed) or _alone_on(codes, which, range(len(own)))


def _alone_on(codes: Int, which: int, columns: Sequence[int]) -> list[tuple[int, ...]]:
    if len(columns) > _MOST_BITS:
        return []
    agreeing = np.zeros(len(codes), dtype=np.int64)
    for bit, j in enumerate(columns):
        agreeing |= (codes[:, j] == codes[which, j]).astype(np.int64) << bit
    others: NDArray[np.int64] = np.unique(np.delete(agreeing, which))
    looked_at = 0
    for size in range(1, len(columns) + 1):
        looked_at += comb(len(columns), size)
        if looked_at > _MOST_SUBSETS:
            break
        found = []
        for subset in combinations(range(len(columns)), size):
            mask = sum(1 << bit for bit in subset)
            if not ((others & mask) == mask).any():
                found.append(tuple(columns[bit] for bit in subset))
        if found:
            return found
    return []
