"""Expected cell counts of a table under a log-linear model, fitted to its margins."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.risk.population_models import SMALL_SIZES

MOST_CELLS = 4_000_000
_SWEEPS = 200
_TOLERANCE = 1e-8


def cells_of(rows: Ints) -> float:
    """How many cells a table has that is spanned by the codes (from 0) of its observed cells."""
    return float(np.prod([float(k) for k in rows.max(axis=0) + 1]))


def two_way_terms(rows: Ints) -> int:
    """How many numbers the two-way margins of such a table hold."""
    shape = [int(k) for k in rows.max(axis=0) + 1]
    return sum(a * b for a, b in combinations(shape, 2)) if len(shape) > 1 else shape[0]


def expected_counts(rows: Ints, counts: Ints | Floats, order: int) -> tuple[Floats, Floats | None]:
    """Expected counts at the observed cells `rows` (codes from 0) and in all cells.

    `counts` are those of the sample, or sums of weights: then the margins fitted are those of the population (pseudo
    maximum likelihood, Skinner & Shlomo 2008).
    `order` 1: independence, in closed form (the second answer is None when the table is too large);
    `order` 2: all two-way margins, by iterative proportional fitting over all cells, empty ones included.
    """
    shape = tuple(int(k) for k in rows.max(axis=0) + 1)
    cells = cells_of(rows)
    n = float(counts.sum())
    margins = [np.bincount(rows[:, j], weights=counts, minlength=k) / n for j, k in enumerate(shape)]
    if order == 1:
        at = n * np.prod([margin[rows[:, j]] for j, margin in enumerate(margins)], axis=0)
        whole = None
        if cells <= MOST_CELLS:
            whole = np.array([n])
            for margin in margins:
                whole = (whole[:, None] * margin).ravel()
        return at, whole
    if cells > MOST_CELLS:
        raise BadInput(
            f"the keys span {format_number(cells)} cells; two-way terms are fitted up to {MOST_CELLS}: use terms='main'"
        )
    observed = np.zeros(shape)
    observed[tuple(rows.T)] = counts
    fitted = _fit_two_way(observed)
    return fitted[tuple(rows.T)], fitted.ravel()


def _fit_two_way(observed: Floats) -> Floats:
    axes = range(observed.ndim)
    pairs = list(combinations(axes, 2)) if observed.ndim > 1 else [(0,)]
    fitted = np.full(observed.shape, observed.sum() / observed.size)
    targets = []
    for pair in pairs:
        others = tuple(axis for axis in axes if axis not in pair)
        targets.append((others, observed.sum(axis=others, keepdims=True)))
    for _ in range(_SWEEPS):
        worst = 0.0
        for others, target in targets:
            margin = fitted.sum(axis=others, keepdims=True)
            worst = max(worst, float(np.abs(margin - target).max()))
            fitted *= np.divide(target, margin, out=np.zeros_like(target), where=margin > 0)
        if worst <= _TOLERANCE * observed.sum():
            break
    return fitted


def expected_sizes(everywhere: Floats) -> Floats:
    """How many cells with one, two and three records a sample has where cells expect these Poisson counts."""
    none = np.exp(-everywhere)
    return np.array([(none * everywhere**size).sum() / factorial(size) for size in SMALL_SIZES])


def risk_of_uniques(expected: Floats, fraction: float | Floats) -> tuple[Floats, Floats]:
    """For sample uniques in cells of these expected counts: P(population unique), E(1/population count).

    Population counts are Poisson; each member is sampled with probability `fraction`, one for all cells or one for
    each (Skinner & Holmes 1998).
    """
    others = expected * (1.0 - fraction) / fraction
    inverse = np.divide(-np.expm1(-others), others, out=np.ones_like(others), where=others > 0)
    return np.exp(-others), inverse
