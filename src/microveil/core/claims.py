"""Claims: what the literature proves about a method, written so that it can be checked on data.

A claim either compares the release with the original (means kept) or speaks of the release
alone (every row occurs at least k times). `check` measures the largest deviation. Rounding to the
units of the original widens what is allowed by exactly what rounding can do, and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from microveil.core.evidence import EXACT as EXACT
from microveil.core.evidence import Evidence as Evidence

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds: the deviation found and the largest one allowed.

    `exactly` tells a claim that holds as proven from one that holds up to rounding only.
    """

    claim: Claim
    holds: bool
    deviation: float
    allowed: float
    exactly: bool = True

    def __str__(self) -> str:
        word = "holds" if self.holds else "BROKEN"
        return f"{word}: {self.claim} (deviation {self.deviation:.3g}, allowed {self.allowed:.3g})"


@dataclass(frozen=True)
class Claim:
    """Base of all claims; `columns` are filled in when a method runs (empty: all it acts on)."""

    compares: ClassVar[bool] = True
    of_cells: ClassVar[bool] = False  # speaks of single cells or rows, so that it holds for any part of the rows
    text: ClassVar[str] = ""
    columns: tuple[str, ...] = ()

    def on(self, columns: Sequence[str]) -> Self:
        """The claim for these columns, unless it already names its own."""
        return self if self.columns else replace(self, columns=tuple(columns))

    def check(self, evidence: Evidence) -> Verdict:
        """Measure the deviation on the claimed columns."""
        chosen = evidence.only(self.columns) if self.columns else evidence
        deviation, exact, slack = self.deviation(chosen)
        return Verdict(
            self,
            bool(deviation <= exact + slack),
            float(deviation),
            float(exact + slack),
            bool(deviation <= exact),
        )

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        """The largest deviation, the largest one allowed, and what rounding may add to that."""
        raise TypeError(f"{type(self).__name__} does not say how it is checked")

    def __str__(self) -> str:
        return self.text.format(**{name: getattr(self, name) for name in self.__dataclass_fields__})


def _largest(values: NDArray[np.float64]) -> float:
    return float(np.max(np.abs(values), initial=0.0))


@dataclass(frozen=True)
class MeansKept(Claim):
    """Every attribute mean is exactly the original's."""

    text = "means are exactly the original's"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        scale = evidence.scale
        change = evidence.moments_after.means - evidence.moments_before.means
        return _largest(change / scale), evidence.exact, _largest(evidence.half_unit / scale)


@dataclass(frozen=True)
class VariancesKept(Claim):
    """Every attribute variance is exactly the original's."""

    text = "variances are exactly the original's"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        change = evidence.moments_after.variances - evidence.moments_before.variances
        ratio = change / evidence.scale**2
        step = _largest(evidence.half_unit / evidence.scale)
        return _largest(ratio), evidence.exact, 2 * step + step**2


@dataclass(frozen=True)
class CovariancesKept(Claim):
    """The covariance matrix is `factor` times the original's, with the kept columns unchanged."""

    text = "covariances are exactly the original's"
    factor: float = 1.0
    diagonal: float = 0.0

    def __str__(self) -> str:
        if self.diagonal:
            return f"covariances are exactly the original's, variances {1 + self.diagonal:g} times"
        if self.factor != 1:
            return f"covariances are exactly {self.factor:g} times the original's, so correlations are kept"
        return self.text

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        scale = evidence.scale
        units = np.outer(scale, scale)
        before, after = (side.covariances / units for side in (evidence.moments_before, evidence.moments_after))
        target = self.factor * before + self.diagonal * np.diag(np.diag(before))
        step = _largest(evidence.half_unit / scale)
        worst = _largest(after - target)
        if evidence.given is not None and evidence.given.shape[1]:
            worst = max(worst, self._with_given(evidence, scale))
        return worst, evidence.exact, (2 * step + step**2) * max(1.0, self.factor + self.diagonal)

    def _with_given(self, evidence: Evidence, scale: Matrix) -> float:
        kept = evidence.given
        assert kept is not None
        change = (evidence.after[np.argsort(evidence.origin)] - evidence.before) / scale
        complete = ~(np.isnan(kept).any(axis=1) | np.isnan(change).any(axis=1))
        if not complete.all():
            kept, change = kept[complete], change[complete]
        if not len(kept):
            return 0.0
        kept = (kept - kept.mean(axis=0)) / np.where(kept.std(axis=0) > 0, kept.std(axis=0), 1.0)
        return _largest(kept.T @ change / len(kept))


@dataclass(frozen=True)
class ValuesKept(Claim):
    """Every attribute has exactly the original's values, only in other records."""

    text = "every column has exactly the original's values, in another order"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        if evidence.before.shape != evidence.after.shape:
            return float("inf"), 0.0, 0.0
        before, after = np.sort(evidence.before, axis=0), np.sort(evidence.after, axis=0)
        different = ~((before == after) | (np.isnan(before) & np.isnan(after)))
        return float(different.sum()), 0.0, 0.0


@dataclass(frozen=True)
class RankShiftWithin(Claim):
    """No value moves further than `percent` per cent of the records in rank."""

    text = "no value moves by more than {percent:g} % of the ranks"
    percent: float = 100.0

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        worst = 0.0
        for j in range(evidence.before.shape[1]):
            x, y = evidence.before[evidence.origin, j], evidence.after[:, j]
            observed = ~np.isnan(x)
            x, y = x[observed], y[observed]
            if len(x) == 0:
                continue
            order = np.sort(x)
            # tied values share an interval of ranks: the shift is the gap between the two intervals
            gap_up = np.searchsorted(order, y, "left") - (np.searchsorted(order, x, "right") - 1)
            gap_down = np.searchsorted(order, x, "left") - (np.searchsorted(order, y, "right") - 1)
            limit = np.floor(len(x) * self.percent / 100 + 1e-9)
            worst = max(worst, float(np.max(np.maximum(gap_up, gap_down) - limit)))
        return max(worst, 0.0), 0.0, 0.0


def _smallest_class(columns: Sequence[Matrix]) -> int:
    classes = np.zeros(len(columns[0]), dtype=np.int64)
    first = np.zeros(1, dtype=np.int64)
    for column in columns:
        # NaN would never equal itself: a missing cell is a value of its own here
        values = np.where(np.isnan(column), np.inf, column)
        if (values == values[first][classes]).all():
            continue  # splits no class, and sorting takes long
        codes = np.unique(values, return_inverse=True)[1]
        _, first, classes = np.unique(classes * (codes.max() + 1) + codes, return_index=True, return_inverse=True)
    return int(np.bincount(classes).min())


@dataclass(frozen=True)
class EqualRowsAtLeast(Claim):
    """Every released row occurs at least k times on these columns together (k-anonymity)."""

    compares = False
    text = "every combination of {columns} occurs at least {k} times"
    k: int = 1

    def __str__(self) -> str:
        return f"every combination of values in {', '.join(map(str, self.columns))} occurs at least {self.k} times"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        if not len(evidence.origin):
            return 0.0, 0.0, 0.0
        return float(max(self.k - _smallest_class(evidence.released), 0)), 0.0, 0.0


@dataclass(frozen=True)
class GroupsAtLeast(Claim):
    """The groups inside which values were exchanged or redrawn have at least k records."""

    compares = False
    text = "groups have at least {k} records"
    k: int = 1

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        if evidence.groups is None:
            return float("inf"), 0.0, 0.0
        counts = np.bincount(evidence.groups[evidence.groups >= 0])
        return float(max(self.k - counts[counts > 0].min(), 0)), 0.0, 0.0


@dataclass(frozen=True)
class RangeKept(Claim):
    """No released value lies outside the original's smallest and largest."""

    of_cells = True
    text = "no value lies outside the original range"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        low, high = np.nanmin(evidence.before, axis=0), np.nanmax(evidence.before, axis=0)
        outside = np.maximum(low - evidence.after, evidence.after - high) / evidence.scale
        return max(float(np.nanmax(outside, initial=0.0)), 0.0), evidence.exact, 0.0


@dataclass(frozen=True)
class ChangeWithin(Claim):
    """No value moves by more than `distance`."""

    of_cells = True
    text = "no value moves by more than {distance:g}"
    distance: float = 0.0

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        change = np.abs(evidence.after - evidence.before[evidence.origin])
        return (
            float(np.nanmax(change, initial=0.0)),
            self.distance * (1 + EXACT),
            _largest(evidence.half_unit),
        )


@dataclass(frozen=True)
class MultiplesOf(Claim):
    """Every released value is a multiple of `base`."""

    of_cells = True
    compares = False
    text = "every value is a multiple of {base:g}"
    base: float = 1.0

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        steps = evidence.after / self.base
        off = np.abs(steps - np.round(steps)) / np.maximum(np.abs(steps), 1.0)
        return float(np.nanmax(off, initial=0.0)), EXACT, 0.0


@dataclass(frozen=True)
class TailsAtLeast(Claim):
    """The coded tails share one value that occurs at least k times."""

    compares = False
    text = "the largest and the smallest value each occur at least {k} times"
    k: int = 1
    top: bool = True
    bottom: bool = False

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        short = 0.0
        for j in range(evidence.after.shape[1]):
            column = evidence.after[~np.isnan(evidence.after[:, j]), j]
            if not len(column):
                continue
            ends = ([column.max()] if self.top else []) + ([column.min()] if self.bottom else [])
            short = max([short, *(float(self.k - np.sum(column == end)) for end in ends)])
        return short, 0.0, 0.0
