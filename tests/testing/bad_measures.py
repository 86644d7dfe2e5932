"""Measures with one planted fault each; `bad_methods.planted` registers one for the time of a test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from microveil.loss.base import Loss
from microveil.risk.base import Risk


def _distance(measure: Any, pair: Any) -> float:
    X, Y, _ = measure.complete_pairs(pair)
    scale = X.std(axis=0)
    return float((np.abs(X - Y) / np.where(scale > 0, scale, 1.0)).mean())


def _told(measure: Any, value: float) -> Any:
    return measure.measured(value, reading=f"The figure is {value:.3g}.")


@dataclass(frozen=True, kw_only=True)
class SoundLoss(Loss):
    """Mean distance of values in standard deviations; nothing is wrong with it."""

    paired: ClassVar[bool] = True
    reference = "none"

    def measure(self, pair):
        return _told(self, _distance(self, pair))


@dataclass(frozen=True, kw_only=True)
class FirstRowCounts(SoundLoss):
    """Look at the first record only."""

    def measure(self, pair):
        X, Y, _ = self.complete_pairs(pair)
        return _told(self, float(np.abs(X[0] - Y[0]).sum()))


@dataclass(frozen=True, kw_only=True)
class OtherInSubdomains(SoundLoss):
    """Divide by the number of records of the whole file in every subdomain."""

    def measure(self, pair):
        return _told(self, _distance(self, pair) * len(pair.rows_before) / pair.before.n)


@dataclass(frozen=True, kw_only=True)
class LossThatFalls(SoundLoss):
    """Find less loss where there is much noise."""

    def measure(self, pair):
        distance = _distance(self, pair)
        return _told(self, min(distance, 0.001 / distance) if distance else 0.0)


@dataclass(frozen=True, kw_only=True)
class LossOfNothing(SoundLoss):
    """Find a loss where nothing changed."""

    def measure(self, pair):
        return _told(self, 1.0 + _distance(self, pair))


@dataclass(frozen=True, kw_only=True)
class DividesByZero(SoundLoss):
    """Divide by the spread of columns that have none."""

    def measure(self, pair):
        X, Y, _ = self.complete_pairs(pair)
        with np.errstate(all="ignore"):
            return _told(self, float((np.abs(X - Y) / X.std(axis=0)).mean()))


@dataclass(frozen=True, kw_only=True)
class NoLoss(SoundLoss):
    """Find no loss, whatever the noise."""

    def measure(self, pair):
        return _told(self, 0.0)


@dataclass(frozen=True, kw_only=True)
class LossOfNoFile(SoundLoss):
    """Have a reason why there is no figure for every file."""

    def measure(self, pair):
        return self.not_applicable("it has no time")


@dataclass(frozen=True, kw_only=True)
class EndlessPart(SoundLoss):
    """Divide a part of the figure by nothing."""

    def measure(self, pair):
        return replace(_told(self, _distance(self, pair)), parts={"income": float("inf")})


@dataclass(frozen=True, kw_only=True)
class DividesByFreedom(SoundLoss):
    """Divide by the number of records less two."""

    def measure(self, pair):
        return _told(self, _distance(self, pair) / (pair.after.n - 2))


@dataclass(frozen=True, kw_only=True)
class AsManyRecordsOnly(SoundLoss):
    """Compare sorted columns, which must be equally long."""

    paired: ClassVar[bool] = False

    def measure(self, pair):
        X, Y, _ = self.complete(pair)
        return _told(self, float(np.abs(np.sort(X, axis=0) - np.sort(Y, axis=0)).mean()))


@dataclass(frozen=True, kw_only=True)
class WorstSubdomain(SoundLoss):
    """Give the worst subdomain for all of them."""

    def _by_domain(self, pair, by):
        found = super()._by_domain(pair, by)
        return replace(found, value=found.worst)


@dataclass(frozen=True, kw_only=True)
class RiskThatGrows(Risk):
    """Find more risk where there is more noise."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    paired: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    reference = "none"

    def measure(self, pair):
        return _told(self, _distance(self, pair))
