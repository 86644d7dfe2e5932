"""Claims about single values: rows taken as they are, order kept, equal values kept equal, tables kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import EXACT, Claim, Evidence

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


def coded(column: Matrix) -> Codes:
    """Values numbered in increasing order, a missing one as a value of its own."""
    return np.unique(np.where(np.isnan(column), -np.inf, column), return_inverse=True)[1].reshape(-1).astype(np.int64)


def crossed(columns: Sequence[Codes]) -> Codes:
    """One number for each combination of codes, numbered anew after every column so that they stay small."""
    labels = columns[0]
    for codes in columns[1:]:
        labels = np.unique(labels * (int(codes.max()) + 1) + codes, return_inverse=True)[1].reshape(-1)
    return labels.astype(np.int64)


@dataclass(frozen=True)
class CellsUnchanged(Claim):
    """Every released cell is that of its original record, or missing where `gaps` allows it."""

    of_cells = True
    text = "every cell is the original's"
    gaps: bool = False

    def __str__(self) -> str:
        return "every cell is the original's or missing" if self.gaps else self.text

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        x, y = evidence.before[evidence.origin], evidence.after
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        if self.gaps:
            same |= np.isnan(y)
        return float((~same).sum()), 0.0, 0.0


@dataclass(frozen=True)
class OrderKept(Claim):
    """A record with a larger original value never has a smaller released one."""

    of_cells = True
    text = "in every column larger values stay larger or become equal"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        worst = 0.0
        for j in range(evidence.before.shape[1]):
            x, y = evidence.before[evidence.origin, j], evidence.after[:, j]
            observed = ~np.isnan(x) & ~np.isnan(y)
            x, y = x[observed], y[observed]
            if len(x) == 0:
                continue
            values, of = np.unique(x, return_inverse=True)
            low, high = np.full(len(values), np.inf), np.full(len(values), -np.inf)
            np.minimum.at(low, of, y)
            np.maximum.at(high, of, y)
            below = np.maximum.accumulate(high)[:-1]
            worst = max(worst, float(np.max(below - low[1:], initial=0.0)) / float(evidence.scale[j]))
        return worst, EXACT, 0.0


@dataclass(frozen=True)
class EqualStayEqual(Claim):
    """Records equal in a column are equal there after masking: classes only merge."""

    of_cells = True
    text = "records that agree in a column still agree"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        torn = 0
        for j in range(evidence.before.shape[1]):
            before, after = coded(evidence.before[evidence.origin, j]), coded(evidence.after[:, j])
            torn += len(np.unique(crossed([before, after]))) - len(np.unique(before))
        return float(torn), 0.0, 0.0


@dataclass(frozen=True)
class TableKept(Claim):
    """The joint table of these columns is exactly the original's."""

    text = "the table of {columns} is exactly the original's"

    def __str__(self) -> str:
        return f"the table of {', '.join(map(str, self.columns))} is exactly the original's"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        labels = crossed([coded(column) for column in np.vstack([evidence.before, evidence.after]).T])
        n = len(evidence.before)
        cells = int(labels.max()) + 1
        change = np.bincount(labels[:n], minlength=cells) - np.bincount(labels[n:], minlength=cells)
        return float(np.abs(change).max()), 0.0, 0.0


@dataclass(frozen=True)
class ValuesAtLeast(Claim):
    """Every released value of a column occurs at least k times there; gaps aside."""

    compares = False
    text = "every value occurs at least {k} times in its column"
    k: int = 1

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        short = 0
        for column in evidence.after.T:
            observed = column[~np.isnan(column)]
            if len(observed):
                short = max(short, self.k - int(np.unique(observed, return_counts=True)[1].min()))
        return float(max(short, 0)), 0.0, 0.0


@dataclass(frozen=True)
class OneToOne(Claim):
    """Equal values have equal replacements and different ones different replacements."""

    of_cells = True
    text = "each value has a replacement of its own"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        wrong = 0
        for j in range(evidence.before.shape[1]):
            before, after = coded(evidence.before[evidence.origin, j]), coded(evidence.after[:, j])
            pairs = len(np.unique(crossed([before, after])))
            wrong += 2 * pairs - len(np.unique(before)) - len(np.unique(after))
        return float(wrong), 0.0, 0.0


@dataclass(frozen=True)
class TotalsWithin(Claim):
    """Column totals differ from the original's by less than `distance`."""

    text = "totals differ by less than {distance:g}"
    distance: float = 0.0

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        change = np.abs(np.nansum(evidence.after, axis=0) - np.nansum(evidence.before, axis=0))
        slack = len(evidence.after) * float(np.max(evidence.half_unit, initial=0.0))
        size = float(np.nansum(np.abs(evidence.before)))
        return float(change.max()), self.distance + 1e-12 * size, slack


@dataclass(frozen=True)
class SumHolds(Claim):
    """In every complete record the first column is the sum of the others."""

    of_cells = True
    compares = False
    text = "the first of {columns} is the sum of the others"

    def __str__(self) -> str:
        return f"{self.columns[0]} is the sum of {', '.join(map(str, self.columns[1:]))}"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        gap = np.abs(evidence.after[:, 0] - evidence.after[:, 1:].sum(axis=1)) / float(evidence.scale[0])
        slack = float(evidence.half_unit.sum()) / float(evidence.scale[0])
        return float(np.nanmax(gap, initial=0.0)), EXACT, slack


@dataclass(frozen=True)
class BetweenBounds(Claim):
    """Every released value lies between two bounds."""

    of_cells = True
    compares = False
    text = "every value lies between {low:g} and {high:g}"
    low: float = -np.inf
    high: float = np.inf

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        outside = np.maximum(self.low - evidence.after, evidence.after - self.high)
        return float(max(np.nanmax(outside, initial=0.0), 0.0)), 0.0, float(np.max(evidence.half_unit, initial=0.0))
