"""Filtering of noise whose covariance is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.by_domain import Scaled, scale_by_domain
from microveil.attack.guesses import Answer
from microveil.attack.masked import Masked, find_masked
from microveil.attack.nearest import nearest_readings
from microveil.attack.normal import fill_gaps, observed_moments
from microveil.attack.view import View
from microveil.core.arrays import Floats
from microveil.core.parameters import Range
from microveil.data.table import Table
from microveil.mask.correlated_noise import CorrelatedNoise
from microveil.mask.exact_noise import ExactNoise
from microveil.mask.kim_noise import KimNoise
from microveil.mask.uncorrelated_noise import UncorrelatedNoise

_SHRUNK = (KimNoise, ExactNoise)  # noise is followed by a shrinkage that whoever knows p undoes
_LEAST = 0.01  # of the noise variance: variances estimated from a file are not better known than that
_NOTHING = 1e-9  # of the largest variance of a component: less is rounding


@dataclass(frozen=True, kw_only=True)
class NoiseFilter(Attack, name="noise-filter"):
    """Per cent of records found after noise of known size was filtered out of the released values.

    Use it for additive noise: originals are correlated and independent noise is not, so that what lies across the
    strong components of a release is mostly noise. "filtered" values are the expected originals given the released
    ones, "components" those that keep only components with more signal than noise; the better of both, linked by
    nearest or one to one, counts. Errors before and after stand beside.
    """

    p: Annotated[
        float | None, Range(gt=0, le=10), "noise standard deviation / the column's; None: as the release says"
    ] = None

    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Filtering of noise"
    reference: ClassVar[str] = "Kargupta et al. 2003; Huang, Du & Chen 2005"
    advice: ClassVar[str] = (
        "The size and the shape of the noise are public, so that part of it is filtered out again. Add "
        "more noise, or protect records in groups."
    )

    def guess(self, view: View) -> Answer | str:
        """Filter what each step of noise left, and take the nearest."""
        stated = None if self.p is None else UncorrelatedNoise(p=self.p)
        noisy = find_masked(view, self.name, stated, f"{type(self).__name__}(p=0.3)")
        if isinstance(noisy, str):
            return noisy
        noisy = [masked for masked in noisy if noise_of(masked) > 0]
        if not noisy:
            return "no noise was added: p is 0"
        x, y, told = scale_by_domain(view, noisy, filtered)
        answer = nearest_readings(view, x, y)
        rough_x, rough_y, by_components = scale_by_domain(view, noisy, in_components)
        rough = nearest_readings(view, rough_x, rough_y)
        readings = {f"filtered, {way}": guesses for way, guesses in answer.readings.items()}
        readings |= {f"components, {way}": guesses for way, guesses in rough.readings.items()}
        return replace(answer, readings=readings, beside=(replace(told, ways={**told.ways, **by_components.ways}),))


def noise_of(masked: Masked) -> float:
    """The size of the noise, in standard deviations of the original column."""
    method = masked.method
    assert isinstance(method, (UncorrelatedNoise, CorrelatedNoise, KimNoise, ExactNoise))
    return method.p


class _Components(NamedTuple):
    """A release in its principal components, and the variances of signal and of noise there."""

    centre: Floats
    scale: Floats
    axes: Floats
    signal: Floats
    noise: Floats

    def seen(self, values: Floats) -> Floats:
        """Values in components."""
        return np.asarray((values - self.centre) / self.scale @ self.axes)

    def back(self, components: Floats) -> Floats:
        """Components in the units of the file."""
        return np.asarray(components @ self.axes.T * self.scale + self.centre)


def filtered(masked: Masked, x: Floats, released: Table) -> Scaled:
    """Expected originals, in components over the standard deviation of what remains unknown of each."""
    y = released.matrix(masked.columns)
    x, whole, parts = _prepared(masked, x, y)
    kept = parts.signal / (parts.signal + parts.noise)
    expected = parts.seen(whole) * kept
    left = np.sqrt(parts.noise * np.maximum(kept, _LEAST))
    return Scaled(parts.seen(x) / left, expected / left, {"filtered": _with_gaps(parts.back(expected), y)})


def in_components(masked: Masked, x: Floats, released: Table) -> Scaled:
    """The components in which there is more signal than noise; the others are taken to be 0."""
    y = released.matrix(masked.columns)
    x, whole, parts = _prepared(masked, x, y)
    strong = (parts.signal > parts.noise).astype(np.float64)
    kept, size = parts.seen(whole) * strong, np.sqrt(parts.noise.mean())
    return Scaled(parts.seen(x) * strong / size, kept / size, {"components": _with_gaps(parts.back(kept), y)})


def _prepared(masked: Masked, x: Floats, y: Floats) -> tuple[Floats, Floats, _Components]:
    """Both files without gaps, the release without its shrinkage, and its components."""
    mean, covariance = observed_moments(y)
    p = noise_of(masked)
    if isinstance(masked.method, _SHRUNK):
        y, covariance = mean + (y - mean) * np.sqrt(1 + p**2), covariance * (1 + p**2)
    variances = np.diag(covariance) / (1 + p**2)
    scale = np.sqrt(np.where(variances > 0, variances, 1.0))
    values, axes = np.linalg.eigh(covariance / np.outer(scale, scale))
    values = np.maximum(values, _NOTHING * max(float(values.max(initial=0.0)), _NOTHING))
    apart = isinstance(masked.method, UncorrelatedNoise)
    noise = np.full(len(values), p**2) if apart else values * p**2 / (1 + p**2)
    parts = _Components(mean, scale, axes, np.maximum(values - noise, 0.0), noise)
    original = (axes * parts.signal) @ axes.T * np.outer(scale, scale)
    return fill_gaps(x, mean, original), fill_gaps(y, mean, covariance), parts


def _with_gaps(values: Floats, y: Floats) -> Floats:
    return np.where(np.isnan(y), np.nan, values)
