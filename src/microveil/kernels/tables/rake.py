"""Calibration of weights to known totals: raking, linear and logit-bounded.

Reference: Deville & Särndal 1992, Calibration estimators in survey sampling, JASA 87.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.kernels.tables.classes import group_rows

Margins = Mapping[str, tuple[Ints, Floats]]
Curve = Callable[[Floats], Floats]

_REACHED = 1e-10  # largest distance to a total as part of its size
_DEPENDENT = 1e-10  # eigenvalues of scaled columns below this part of the largest are zero
_FLAT = 1e-10  # part of the first curvature that keeps Newton steps finite where all weights sit at a bound
_STEPS = 200


class MarginColumns(NamedTuple):
    """The categories of margins: an indicator column, a total and a name for each."""

    indicators: Floats
    totals: Floats
    names: list[str]


def rake(weights: Floats, margins: Margins, max_rounds: int = 1000) -> Floats:
    """Weights fitted proportionally to several margins in turn (Deming & Stephan 1940).

    A margin is (category code 0..K-1 of each record, K totals); its name appears in messages. Weights
    stay positive, and ratios inside a cell of the cross-table of all margins stay as they were.
    """
    d = _positive(weights)
    if not margins:
        return d.copy()
    for name, (codes, totals) in margins.items():
        _check_margin(name, codes, totals, len(d))
    _refuse_unequal_sums(margins)
    cell, counts = group_rows(np.column_stack([codes for codes, _ in margins.values()]))
    member = np.empty(len(counts), dtype=np.int64)
    member[cell] = np.arange(len(d))
    start = np.bincount(cell, weights=d)
    sides = [(codes[member], totals[totals > 0], np.cumsum(totals > 0) - 1) for codes, totals in margins.values()]
    mass = start.copy()
    for _ in range(max_rounds):
        worst = 0.0
        for codes, totals, position in sides:
            ratio = totals / np.bincount(position[codes], weights=mass, minlength=len(totals))
            worst = max(worst, float(np.abs(ratio - 1).max()))
            mass *= ratio[position[codes]]
        if worst <= _REACHED:
            return np.asarray(d * (mass / start)[cell])
    X, wanted, names = margin_columns({name: (codes[member], t) for name, (codes, t) in margins.items()})
    raise BadInput(_unmet(names, wanted, X.T @ mass, f"by positive weights within {max_rounds} rounds of raking"))


def margin_columns(margins: Margins) -> MarginColumns:
    """The categories of margins as columns, for calibration with other totals."""
    parts = [
        np.asarray(codes[:, None] == np.arange(len(totals)), dtype=np.float64) for codes, totals in margins.values()
    ]
    names = [f"{name}={k}" for name, (_, totals) in margins.items() for k in range(len(totals))]
    totals = np.concatenate([totals for _, totals in margins.values()]).astype(np.float64)
    return MarginColumns(np.hstack(parts), totals, names)


def calibrate_linear(weights: Floats, X: Floats, totals: Floats, names: Sequence[str] | None = None) -> Floats:
    """Weights d (1 + x'l) that meet the totals of the columns of X: the regression (GREG) estimator.

    The least change in the chi-square sense, but nothing keeps weights positive: where one would not
    be, this refuses; use bounds then.
    """
    factors = _solve(weights, X, totals, names, lambda u: 1 + u, np.ones_like, lambda u: u + u * u / 2)
    if factors.size and factors.min() <= 0:
        raise BadInput(
            f"linear calibration makes {int((factors <= 0).sum())} weights zero or negative (smallest factor"
            f" {factors.min():.3g}); use the logit form with bounds"
        )
    return np.asarray(weights * factors)


def calibrate_logit(
    weights: Floats,
    X: Floats,
    totals: Floats,
    bounds: tuple[float, float] = (0.3, 3.0),
    names: Sequence[str] | None = None,
) -> Floats:
    """Weights that meet the totals with factors strictly inside the bounds, by the logit curve."""
    low, high = _check_bounds(weights, X, totals, bounds, names)
    slope = (high - low) / ((1 - low) * (high - 1))
    offset = np.log((1 - low) / (high - 1))

    def factor(u: Floats) -> Floats:
        return np.asarray(low + (high - low) * expit(slope * u + offset))

    def derivative(u: Floats) -> Floats:
        share = expit(slope * u + offset)
        return np.asarray(slope * (high - low) * share * (1 - share))

    def integral(u: Floats) -> Floats:
        return np.asarray(low * u + (high - low) / slope * np.logaddexp(0.0, slope * u + offset))

    return np.asarray(weights * _solve(weights, X, totals, names, factor, derivative, integral))


def _solve(
    weights: Floats,
    X: Floats,
    totals: Floats,
    names: Sequence[str] | None,
    factor: Curve,
    derivative: Curve,
    integral: Curve,
) -> Floats:
    """Factors g = F(x'l) with sum d g x = totals, by damped Newton steps on the convex dual problem."""
    d = _positive(weights)
    labels = _labels(X, totals, names, len(d))
    scale = np.sqrt(d @ (X * X) / d.sum())
    scale[scale == 0] = 1.0
    Z, wanted = X / scale, totals / scale
    first = Z.T @ (d[:, None] * Z)
    _refuse_contradiction(first, wanted, labels)
    size = np.maximum(np.abs(wanted), 1e-2 * (d @ np.abs(Z)))
    size[size == 0] = 1.0
    multipliers = np.zeros(len(wanted))
    for _ in range(_STEPS):
        u = Z @ multipliers
        short = wanted - Z.T @ (d * factor(u))
        if np.abs(short / size).max(initial=0.0) <= _REACHED:
            return factor(u)
        curvature = Z.T @ ((d * derivative(u))[:, None] * Z) + _FLAT * first
        step = np.linalg.pinv(curvature, rcond=1e-13, hermitian=True) @ short
        multipliers = multipliers + _damping(multipliers, step, short, Z, d, wanted, integral) * step
    raise BadInput(_unmet(labels, totals, X.T @ (d * factor(Z @ multipliers)), f"in {_STEPS} Newton steps"))


def _damping(
    multipliers: Floats, step: Floats, short: Floats, Z: Floats, d: Floats, wanted: Floats, integral: Curve
) -> float:
    """The largest of 1, 1/2, 1/4, ... at which the dual objective falls enough (Armijo)."""

    def objective(at: Floats) -> float:
        return float(d @ integral(Z @ at) - at @ wanted)

    now, slope, part = objective(multipliers), float(short @ step), 1.0
    # near the solution the fall is smaller than rounding: allow for it
    slack = 1e-13 * (abs(now) + float(d.sum()))
    while objective(multipliers + part * step) > now - 1e-4 * part * slope + slack and part > 1e-10:
        part /= 2
    return part


def _positive(weights: Floats) -> Floats:
    d = np.asarray(weights, dtype=np.float64)
    if d.ndim != 1 or not (np.isfinite(d).all() and (d > 0).all()):
        raise BadInput(
            f"weights must be one finite number > 0 per record: shape {d.shape}, smallest {d.min(initial=np.inf)}"
        )
    return d


def _check_margin(name: str, codes: Ints, totals: Floats, n: int) -> None:
    K = len(totals)
    if codes.shape != (n,) or (n and not (codes.min() >= 0 and codes.max() < K)):
        raise BadInput(
            f"margin '{name}' needs a category code 0..{K - 1} for each of {n} records; give missing its own"
        )
    present = np.bincount(codes, minlength=K) > 0
    if not (np.isfinite(totals).all() and (totals >= 0).all()):
        raise BadInput(f"margin '{name}' has totals {totals.tolist()}; they must be finite and >= 0")
    for k in np.flatnonzero(present != (totals > 0))[:1]:
        what = "has records, so its total must be > 0" if present[k] else "has no record to carry it"
        raise BadInput(f"margin '{name}', category {k}, total {totals[k]}: the category {what}")


def _refuse_unequal_sums(margins: Margins) -> None:
    sums = {name: float(totals.sum()) for name, (_, totals) in margins.items()}
    low, high = min(sums, key=lambda name: sums[name]), max(sums, key=lambda name: sums[name])
    if sums[high] - sums[low] > 1e-9 * sums[high]:
        raise BadInput(f"margins '{low}' and '{high}' have different sums: {sums[low]:.12g} and {sums[high]:.12g}")


def _labels(X: Floats, totals: Floats, names: Sequence[str] | None, n: int) -> list[str]:
    if X.ndim != 2 or len(X) != n or totals.shape != (X.shape[1],):
        raise BadInput(f"{n} weights, columns of shape {X.shape}, totals of shape {totals.shape} do not fit together")
    labels = [f"column {j}" for j in range(X.shape[1])] if names is None else list(names)
    if len(labels) != X.shape[1]:
        raise BadInput(f"{len(labels)} names for {X.shape[1]} columns; give one for each")
    return labels


def _refuse_contradiction(gram: Floats, wanted: Floats, labels: list[str]) -> None:
    """Columns that depend on one another need totals that do so too."""
    w, U = np.linalg.eigh(gram)
    null = U[:, w <= _DEPENDENT * w.max(initial=0.0)]
    gap = np.abs(wanted @ null)
    if gap.max(initial=0.0) > 1e-8 * max(float(np.abs(wanted).max(initial=0.0)), 1e-300):
        involved = np.abs(null[:, gap.argmax()]) > 1e-6
        named = ", ".join(label for label, used in zip(labels, involved, strict=True) if used)
        raise BadInput(f"totals contradict one another: {named} depend on each other in the data but not in the totals")


def _check_bounds(
    weights: Floats, X: Floats, totals: Floats, bounds: tuple[float, float], names: Sequence[str] | None
) -> tuple[float, float]:
    low, high = bounds
    if not 0 < low < 1 < high < np.inf:
        raise BadInput(f"bounds=({low}, {high}) must satisfy 0 < low < 1 < high")
    labels = _labels(X, totals, names, len(weights))
    up, down = weights @ np.maximum(X, 0), weights @ np.maximum(-X, 0)
    least, most = low * up - high * down, high * up - low * down
    beyond = (totals < least) | (totals > most)
    if beyond.any():
        told = [
            f"{labels[j]} (wanted {totals[j]:.6g}, possible {least[j]:.6g} to {most[j]:.6g})"
            for j in np.flatnonzero(beyond)
        ]
        raise BadInput(f"totals out of reach of factors within ({low}, {high}): {', '.join(told)}; widen the bounds")
    return low, high


def _unmet(labels: list[str], wanted: Floats, reached: Floats, how: str) -> str:
    off = np.abs(wanted - reached) > 1e-8 * np.maximum(np.abs(wanted), 1e-300)
    told = [f"{labels[j]} (wanted {wanted[j]:.6g}, reached {reached[j]:.6g})" for j in np.flatnonzero(off).tolist()]
    return f"totals cannot be met together {how}: {', '.join(told)}"
