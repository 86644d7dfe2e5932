"""Predictors as a design matrix, learnt once and applied to new records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.data.table import Table, Values

_SMALLEST_SPREAD = 1e-12


@dataclass
class RankScale:
    """The normal scores of a column and the way back, by its empirical distribution with interpolation."""

    ordered: Floats

    @classmethod
    def of(cls, x: Floats) -> RankScale:
        """The scale of the observed values."""
        return cls(np.sort(x[~np.isnan(x)]))

    def scores(self, x: Floats) -> Floats:
        """Normal quantiles of the average ranks of values among those observed; NaN stays."""
        from scipy.special import ndtri

        n = len(self.ordered)
        # distinct values in order: looking them up in turn is much faster than at random
        distinct, inverse = np.unique(x, return_inverse=True)
        below, upto = np.searchsorted(self.ordered, distinct, "left"), np.searchsorted(self.ordered, distinct, "right")
        place = np.clip((below + upto) / 2, 0.25, n - 0.25)[inverse]
        return np.where(np.isnan(x), np.nan, ndtri(place / n))

    def values(self, z: Floats) -> Floats:
        """The interpolated quantiles of normal scores, inside the observed range."""
        from scipy.special import ndtr

        n = len(self.ordered)
        return np.asarray(np.interp(ndtr(z) * n - 0.5, np.arange(n), self.ordered))


@dataclass(frozen=True)
class Terms:
    """The terms of one predictor: a number with its gaps marked, or indicators of its categories."""

    powers: int
    present: Ints | None = None  # codes that have an indicator; None: a number
    centre: float = 0.0
    spread: float = 0.0
    gaps: bool = False

    @classmethod
    def of(cls, values: Values, powers: int) -> Terms:
        """The terms that some records ask for, without these: a fit may travel far."""
        if values.levels is not None:
            return cls(powers, np.unique(values.data)[1:])
        observed = values.data[~values.missing]
        if not len(observed):
            return cls(powers, gaps=bool(values.missing.any()))
        return cls(powers, None, float(observed.mean()), float(observed.std()), bool(values.missing.any()))

    def columns(self, values: Values) -> Iterator[Floats]:
        """The terms for some records, one after the other."""
        if self.present is not None:
            for code in self.present:
                yield (values.data == code).astype(np.float64)
            return
        x = values.data
        z = (x - self.centre) / (self.spread if self.spread > 0 else 1.0)
        missing = np.isnan(x)
        z = np.where(missing, 0.0, z)
        for power in range(1, self.powers + 1):
            yield z**power
        if self.gaps:
            yield missing.astype(np.float64)


class Design:
    """The design of all predictors: intercept, terms on a common scale, products of pairs if asked for."""

    def __init__(self, X: Table, powers: int = 1, products: bool = False) -> None:
        self._terms = {name: Terms.of(values, powers) for name, values in X.columns.items()}
        self._products = products
        moments = np.array([(term.mean(), term.std()) for term in self._raw(X)]).reshape(-1, 2)
        self._centre, spread = moments.T
        self._kept = spread > _SMALLEST_SPREAD
        self._spread = np.where(self._kept, spread, 1.0)

    def matrix(self, X: Table) -> Floats:
        """The design of some records."""
        out = np.empty((X.rows, 1 + int(self._kept.sum())))
        out[:, 0] = 1.0
        place = 1
        for j, term in enumerate(self._raw(X)):
            if self._kept[j]:
                out[:, place] = (term - self._centre[j]) / self._spread[j]
                place += 1
        return out

    def _raw(self, X: Table) -> Iterator[Floats]:
        """One term after the other: never all of them twice in memory."""
        for name, terms in self._terms.items():
            yield from terms.columns(X[name])
        if self._products:
            for (name, terms), (other, more) in combinations(self._terms.items(), 2):
                for a in terms.columns(X[name]):
                    for b in more.columns(X[other]):
                        yield a * b
