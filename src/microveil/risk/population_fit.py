"""Which models of a population fit a sample, and between which figures the truth is likely to lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats

FITS_UP_TO = 11.34  # of a model that is true, chance alone exceeds it in one of a hundred samples (chi-square, 3 df)
LOG_LINEAR, MAIN, TWO_WAY = "log-linear", "log-linear (main)", "log-linear (two-way)"
_FEW = 0.1  # the sampling fraction up to which Dankar et al. prefer Pitman's model
_HIGH = ("pitman", MAIN)  # of the models those that find too many rather than too few


class Modelled(NamedTuple):
    """Per cent alone in the population by one model, and how far its class sizes are from those found.

    `misfit` is None where that cannot be told. A model that is not `trusted` finds too few for a reason that its fit
    does not show.
    """

    share: float
    misfit: float | None
    trusted: bool = True

    @property
    def fits(self) -> bool:
        """Whether the model agrees with the small classes of the sample up to chance."""
        return self.misfit is not None and self.misfit <= FITS_UP_TO


def misfit(found: Floats, expected: Floats | None) -> float | None:
    """Chi-square of the numbers of classes of one, two and three records, found and expected; None without any.

    Numbers below one count as one: a class more than next to none is no evidence.
    """
    return None if expected is None else float(((found - expected) ** 2 / np.maximum(expected, 1.0)).sum())


def dankar(models: Mapping[str, Modelled], fraction: float) -> str:
    """The model that Dankar et al. 2012 take at a sampling fraction, whether or not it fits."""
    if fraction <= _FEW and "pitman" in models:
        return "pitman"
    lower = fraction > _FEW and "snb" in models and models["snb"].share < models["zayatz"].share
    return "snb" if lower else "zayatz"


def best_fitting(models: Mapping[str, Modelled], fraction: float) -> str:
    """The model of Dankar et al. if it fits; else of those that fit the one that finds most; else the least wrong."""
    first = dankar(models, fraction)
    # with few sampled the slide negative binomial model fits whatever there is, and finds next to none or far too many
    tried = {name: model for name, model in models.items() if model.trusted and (fraction > _FEW or name != "snb")} | {
        first: models[first]
    }
    fitting = [name for name, model in tried.items() if model.fits]
    if first in fitting:
        return first
    if fitting:
        return max(fitting, key=lambda name: tried[name].share)
    checked = {name: model.misfit for name, model in tried.items() if model.misfit is not None}
    return min(checked, key=lambda name: checked[name]) if checked else first


def likely_range(models: Mapping[str, Modelled], value: float, pairs: float, alone: float) -> tuple[float, float]:
    """From the log-linear model with two-way terms, or 0 without it, to the higher of Pitman's and main effects.

    Two-way terms follow the sample too closely and find too few; the other two find too many. Both ends are moved by
    twice the relative error of the number of `pairs`, the classes of two, which tells the models apart most. Whoever is
    alone in the population is so in the file: at most that per cent, `alone`.
    """
    chance = float(np.exp(2.0 / np.sqrt(pairs + 1.0)))
    low = models[TWO_WAY].share / chance if TWO_WAY in models else 0.0
    high = max((models[name].share for name in _HIGH if name in models), default=100.0)
    return min(low, value), max(min(high * chance, alone), value)
