"""What an attack finds besides links, and how it is compared with the truth: reconstructed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from microveil.attack.truth import Truth
from microveil.core.arrays import Floats, Ints
from microveil.kernels.tables.classes import group_rows

_NEAR = 0.1  # of the true value
_RECOVERED = 0.01  # standard deviations


class Beside(Protocol):
    """A finding that the base compares with the truth once the attack is over; no attack does so itself."""

    def parts(self, truth: Truth) -> Mapping[str, float]:
        """Figures that stand beside the share of records found."""
        ...


@dataclass(frozen=True)
class Reconstructed:
    """Values of released records as an intruder reconstructs them, by the name of the way, beside the released ones.

    `known` holds the true values of those sought in the same columns. Errors are told in standard deviations of these,
    as root of the mean square, and as the share of cells within a tenth of the true value.
    """

    known: Floats
    released: Floats
    ways: Mapping[str, Floats]

    def parts(self, truth: Truth) -> dict[str, float]:
        """The errors of the released values and of each way."""
        true = self.known[truth.known]
        spread = np.array([_spread(column) for column in self.known.T])
        found: dict[str, float] = {}
        for way, values in {"released": self.released, **self.ways}.items():
            error = values[truth.released] - true
            observed = ~np.isnan(error) & (spread > 0)
            if observed.any():
                scaled = (error / np.where(spread > 0, spread, 1.0))[observed]
                found[f"RMSE {way}"] = float(np.sqrt(np.mean(scaled**2)))
                found[f"within 10 % {way}"] = float(np.mean(np.abs(error) <= _NEAR * np.abs(true), where=observed))
        return found


def _spread(column: Floats) -> float:
    observed = column[~np.isnan(column)]
    return float(observed.std()) if len(observed) else 0.0


@dataclass(frozen=True)
class Permuted:
    """Ranks of known and of released values, as shares of all records.

    How far a masking permutes is told in per cent of the records, of values and of records, whose distance is that of
    the value that moved farthest (Domingo-Ferrer & Muralidhar 2016).
    """

    known: Floats
    released: Floats

    def parts(self, truth: Truth) -> dict[str, float]:
        """The means over all true pairs."""
        moved = np.abs(self.known[truth.known] - self.released[truth.released])
        observed = ~np.isnan(moved)
        if not observed.any():
            return {}
        farthest = np.where(observed, moved, 0.0).max(axis=1)[observed.any(axis=1)]
        return {
            "permutation distance of values": 100.0 * float(moved[observed].mean()),
            "permutation distance of records": 100.0 * float(farthest.mean()),
        }


@dataclass(frozen=True)
class Categories:
    """True categories as an intruder guesses them from the released ones of a column.

    `believed` is the intruder's probability that each released category is true, `guessed` the likeliest true one. How
    sure one may be of a category is told of the rarest: as the intruder believes, and as it is.
    """

    name: str
    known: Ints
    released: Ints
    guessed: Ints
    believed: Floats
    rarest: int

    def parts(self, truth: Truth) -> dict[str, float]:
        """Shares of true pairs whose category is known."""
        true, seen = self.known[truth.known], self.released[truth.released]
        both = (true >= 0) & (seen >= 0)
        found: dict[str, float] = {}
        if both.any():
            found[f"true as released[{self.name}]"] = float((seen == true)[both].mean())
            found[f"true as guessed[{self.name}]"] = float((self.guessed[truth.released] == true)[both].mean())
        rare = both & (seen == self.rarest)
        if rare.any():
            found[f"rarest believed[{self.name}]"] = float(self.believed[truth.released][rare].mean())
            found[f"rarest true[{self.name}]"] = float((true == self.rarest)[rare].mean())
        return found


@dataclass(frozen=True)
class GroupsRefound:
    """Groups of released records as an intruder forms them."""

    labels: Ints

    def parts(self, truth: Truth) -> dict[str, float]:
        """How far they are the true ones: the adjusted Rand index (Hubert & Arabie 1985)."""
        if truth.groups is None or not (truth.groups >= 0).all():
            return {}
        both = group_rows(np.column_stack([self.labels, truth.groups]))[1]
        together, mine, true = (_pairs(sizes) for sizes in (both, np.bincount(self.labels), np.bincount(truth.groups)))
        expected = mine * true / max(_pairs(np.array([len(self.labels)])), 1.0)
        most = (mine + true) / 2
        return {"adjusted Rand": 1.0 if most == expected else (together - expected) / (most - expected)}


@dataclass(frozen=True)
class OthersKnown:
    """What a stronger intruder finds out who knows a group and the originals of all its members but one.

    The sum of the released values of the group less the known ones is taken for the last. Errors are in standard
    deviations of the originals, over the groups of which every member was sought.
    """

    known: Floats
    released: Floats

    def parts(self, truth: Truth) -> dict[str, float]:
        """The median error, and the share of values recovered up to a hundredth of a standard deviation."""
        if truth.groups is None or not (truth.groups >= 0).all():
            return {}
        moved = np.full(self.released.shape, np.nan)
        moved[truth.released] = self.released[truth.released] - self.known[truth.known]
        of_group = [np.bincount(truth.groups, weights=column) for column in moved.T]
        spread = np.array([_spread(column) for column in self.known.T])
        error = np.abs(np.column_stack(of_group)[truth.groups]) / np.where(spread > 0, spread, 1.0)
        told = error[~np.isnan(error) & (spread > 0)]
        if not len(told):
            return {}
        return {
            "others known, median error": float(np.median(told)),
            "others known, recovered": float(np.mean(told <= _RECOVERED)),
        }


def _pairs(sizes: Ints) -> float:
    """How many pairs of records groups of these sizes hold."""
    return float((sizes * (sizes - 1) / 2).sum())
