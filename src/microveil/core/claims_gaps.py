"""k-anonymity of rows that may have gaps: a missing cell agrees with any value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import Claim, EqualRowsAtLeast, Evidence
from microveil.core.claims_values import crossed

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class EqualRowsAsideGaps(EqualRowsAtLeast):
    """Every released row agrees with at least k rows, itself included, on all cells observed in both.

    Without gaps this is plain k-anonymity. With gaps that were in the original it is what a method can
    promise that neither fills them nor blanks more cells.
    """

    def __str__(self) -> str:
        return f"{super().__str__()}, gaps of the original aside"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        strict = super().deviation(evidence)
        if strict[0] == 0 or not np.isnan(evidence.before).any():
            return strict
        if evidence.groups is not None and _alike_in_groups(evidence.after, evidence.groups, self.k):
            return 0.0, 0.0, 0.0
        return float(max(self.k - smallest_agreement(evidence.after), 0)), 0.0, 0.0


def _alike_in_groups(rows: Matrix, groups: NDArray[np.int64], k: int) -> bool:
    """Whether every group has k records and one observed value in every column."""
    if (groups < 0).any() or np.bincount(groups)[np.unique(groups)].min() < k:
        return False
    number = int(groups.max()) + 1
    for column in rows.T:
        observed = ~np.isnan(column)
        low, high = np.full(number, np.inf), np.full(number, -np.inf)
        np.minimum.at(low, groups[observed], column[observed])
        np.maximum.at(high, groups[observed], column[observed])
        if (high > low).any():
            return False
    return True


@dataclass(frozen=True)
class AgreeingRowsAtLeast(Claim):
    """Every released row agrees with at least k rows, itself included, a missing cell agreeing with any value."""

    compares = False
    text = "every record agrees with at least {k} on {columns}, missing cells agreeing with any value"
    k: int = 1

    def __str__(self) -> str:
        names = ", ".join(map(str, self.columns))
        return f"every record agrees with at least {self.k} on {names}, missing cells agreeing with any value"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        return float(max(self.k - smallest_agreement(evidence.after), 0)), 0.0, 0.0


def smallest_agreement(rows: Matrix) -> int:
    """The smallest number of rows that a row agrees with, gaps agreeing with everything."""
    codes = np.full(rows.shape, -1, dtype=np.int64)
    for j, column in enumerate(rows.T):
        observed = ~np.isnan(column)
        codes[observed, j] = np.unique(column[observed], return_inverse=True)[1].reshape(-1)
    labels = crossed([column + 1 for column in codes.T])
    first, counts = np.unique(labels, return_index=True, return_counts=True)[1:]
    distinct = codes[first]
    patterns, of_row = np.unique(distinct >= 0, axis=0, return_inverse=True)
    members = [np.flatnonzero(of_row.reshape(-1) == i) for i in range(len(patterns))]
    agreeing = np.zeros(len(distinct), dtype=np.int64)
    for i, here in enumerate(members):
        for j, there in enumerate(members):
            both = patterns[i] & patterns[j]
            agreeing[here] += _matches(distinct[np.ix_(here, both)], distinct[np.ix_(there, both)], counts[there])
    return int(agreeing.min())


def _matches(left: Codes, right: Codes, counts: Codes) -> Codes:
    """For each row on the left the number of records on the right that equal it."""
    keys = np.zeros(len(left) + len(right), dtype=np.int64)
    for column in np.vstack([left, right]).T:
        # numbered anew after every column: the keys stay small
        keys = np.unique(keys * (int(column.max()) + 1) + column, return_inverse=True)[1].reshape(-1)
    totals = np.bincount(keys[len(left) :], weights=counts, minlength=int(keys.max()) + 1)
    return totals[keys[: len(left)]].astype(np.int64)
