"""Logistic regression by damped steps, in blocks of rows.

Curvature takes as many operations for each record as there are pairs of terms, the gradient as many as there are
terms. So steps are taken by the curvature known, that at chance to begin with, and it is computed anew only where they
no longer gain a digit each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from microveil.core.arrays import Floats

_MOST_STEPS = 60
_MOST_HALVINGS = 30
# The curvature (285 terms: 40,000 products a record, a gradient 285) is computed again only where a step gains less
# than a digit. A sample for it was rejected: rare categories decide which terms depend on others.
# twice the log-likelihood per record that one more step would gain: by the curvature of this place, whose step squares
# the error, and by that of another place
_DECREMENT, _DECREMENT_ELSEWHERE = 1e-12, 1e-18
_SLOW = 0.1  # of the last gain


class Design(Protocol):
    """Terms of all records."""

    @property
    def count(self) -> int:
        """How many terms there are."""

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Rows and their terms, which may be overwritten."""

    def linear(self, weights: Floats) -> Floats:
        """The weighted sum of the terms of every record."""

    def totals(self, weights: Floats) -> Floats:
        """The sum of every term over the records, which have weights."""

    def cross(self) -> Floats:
        """Means of the products of all pairs of 1 and the terms."""


class LogisticFit(NamedTuple):
    """Fitted probabilities and how the fit went."""

    probabilities: Floats
    converged: bool
    steps: int
    separated: bool


class _State(NamedTuple):
    likelihood: float
    gradient: Floats
    probabilities: Floats


def fit_logistic(design: Design, t: Floats, ridge: float) -> LogisticFit:
    """P(t = 1) given standardised terms and an intercept; `ridge` / 2 times the squared coefficients is the penalty.

    The step is halved until the penalised likelihood does not fall, so the fit cannot diverge; where the
    two classes can be separated the penalty keeps it finite and `separated` says so.
    """
    share = float(t.mean())
    b = np.zeros(design.count + 1)
    b[0] = np.log(share / (1 - share))
    state = _evaluate(design, b, t, ridge)
    curvature = _penalised(len(t) * share * (1 - share) * design.cross(), ridge)
    here, former = True, np.inf
    converged, steps = False, 0
    while not converged and steps < _MOST_STEPS:
        step = _step(curvature, state.gradient)
        gain = float(state.gradient @ step)
        if gain <= (_DECREMENT if here else _DECREMENT_ELSEWHERE) * len(t):
            # the last step needs no check
            b, converged = b + step, True
        elif not here and gain > _SLOW * former:
            curvature, here = _curvature(design, state.probabilities, ridge), True
            continue
        else:
            b, state, moved = _damped(design, b, step, state, t, ridge)
            if not moved and here:
                break
            former = gain if moved else 0.0  # what led nowhere is tried again by the curvature of this place
            here = False
        steps += 1
    p = _inverse_logit(b[0] + design.linear(b[1:]))
    separated = bool(np.minimum(p, 1 - p).max() < 1e-3)
    return LogisticFit(p, converged, steps, separated)


def _step(curvature: Floats, gradient: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(curvature, gradient))
    except np.linalg.LinAlgError:
        # separated without a penalty: the weights vanish
        return np.asarray(np.linalg.lstsq(curvature, gradient)[0])


def _damped(
    design: Design, b: Floats, step: Floats, state: _State, t: Floats, ridge: float
) -> tuple[Floats, _State, bool]:
    length = 1.0
    for _ in range(_MOST_HALVINGS):
        tried = b + length * step
        found = _evaluate(design, tried, t, ridge)
        # rounding of the sum over all records is no fall
        if found.likelihood >= state.likelihood - 1e-12 * abs(state.likelihood):
            return tried, found, True
        length /= 2
    return b, state, False


def _evaluate(design: Design, b: Floats, t: Floats, ridge: float) -> _State:
    eta = b[0] + design.linear(b[1:])
    likelihood = float((t * eta - np.logaddexp(0.0, eta)).sum()) - ridge / 2 * float(b[1:] @ b[1:])
    p = _inverse_logit(eta)
    residual = t - p
    return _State(likelihood, np.append(residual.sum(), design.totals(residual) - ridge * b[1:]), p)


def _curvature(design: Design, p: Floats, ridge: float) -> Floats:
    """Minus the second derivatives of the likelihood."""
    k = design.count
    found = np.zeros((k + 1, k + 1))
    weight = p * (1 - p)
    for rows, T in design.blocks():
        found[0, 1:] += weight[rows] @ T
        T *= np.sqrt(weight[rows])[:, None]
        found[1:, 1:] += T.T @ T
    found[0, 0] = weight.sum()
    found[1:, 0] = found[0, 1:]
    return _penalised(found, ridge)


def _penalised(curvature: Floats, ridge: float) -> Floats:
    inner = np.arange(1, len(curvature))
    curvature[inner, inner] += ridge
    return curvature


def _inverse_logit(eta: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(eta))
