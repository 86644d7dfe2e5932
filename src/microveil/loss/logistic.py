"""Logistic regression by damped Newton steps, in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats

Blocks = Callable[[], Iterator[tuple[slice, Floats]]]

_MOST_STEPS = 60
_MOST_HALVINGS = 30
_DECREMENT = 1e-12  # twice the log-likelihood per record that one more step would gain


class LogisticFit(NamedTuple):
    """Fitted probabilities and how the fit went."""

    probabilities: Floats
    converged: bool
    steps: int
    separated: bool


class _State(NamedTuple):
    likelihood: float
    gradient: Floats
    hessian: Floats


def fit_logistic(blocks: Blocks, terms: int, t: Floats, ridge: float) -> LogisticFit:
    """P(t = 1) given standardised terms and an intercept; `ridge` / 2 times the squared coefficients is the penalty.

    The step is halved until the penalised likelihood does not fall, so the fit cannot diverge; where the
    two classes can be separated the penalty keeps it finite and `separated` says so.
    """
    share = float(t.mean())
    b = np.zeros(terms + 1)
    b[0] = np.log(share / (1 - share))
    state = _evaluate(blocks, b, t, ridge)
    converged, steps = False, 0
    while not converged and steps < _MOST_STEPS:
        step = _newton_step(state)
        if float(state.gradient @ step) <= _DECREMENT * len(t):
            # this near the optimum steps square the error: the last one needs no check
            b, converged = b + step, True
        else:
            b, state, moved = _damped(blocks, b, step, state, t, ridge)
            if not moved:
                break
        steps += 1
    p = _probabilities(blocks, b, len(t))
    separated = bool(np.minimum(p, 1 - p).max() < 1e-3)
    return LogisticFit(p, converged, steps, separated)


def _newton_step(state: _State) -> Floats:
    try:
        return np.asarray(np.linalg.solve(state.hessian, state.gradient))
    except np.linalg.LinAlgError:
        # separated without a penalty: the weights vanish
        return np.asarray(np.linalg.lstsq(state.hessian, state.gradient)[0])


def _damped(
    blocks: Blocks, b: Floats, step: Floats, state: _State, t: Floats, ridge: float
) -> tuple[Floats, _State, bool]:
    length = 1.0
    for _ in range(_MOST_HALVINGS):
        tried = b + length * step
        found = _evaluate(blocks, tried, t, ridge)
        # rounding of the sum over all records is no fall
        if found.likelihood >= state.likelihood - 1e-12 * abs(state.likelihood):
            return tried, found, True
        length /= 2
    return b, state, False


def _evaluate(blocks: Blocks, b: Floats, t: Floats, ridge: float) -> _State:
    k = len(b) - 1
    likelihood, gradient, hessian = 0.0, np.zeros(k + 1), np.zeros((k + 1, k + 1))
    for rows, T in blocks():
        eta = b[0] + T @ b[1:]
        y = t[rows]
        likelihood += float(y @ eta - np.logaddexp(0.0, eta).sum())
        p = _inverse_logit(eta)
        residual, weight = y - p, p * (1 - p)
        gradient[0] += residual.sum()
        hessian[0, 0] += weight.sum()
        both = T.T @ np.column_stack([residual, weight])
        gradient[1:] += both[:, 0]
        hessian[0, 1:] += both[:, 1]
        T *= np.sqrt(weight)[:, None]
        hessian[1:, 1:] += T.T @ T
    hessian[1:, 0] = hessian[0, 1:]
    hessian[1:, 1:][np.diag_indices(k)] += ridge
    likelihood -= ridge / 2 * float(b[1:] @ b[1:])
    gradient[1:] -= ridge * b[1:]
    return _State(likelihood, gradient, hessian)


def _inverse_logit(eta: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(eta))


def _probabilities(blocks: Blocks, b: Floats, n: int) -> Floats:
    out = np.empty(n)
    for rows, T in blocks():
        out[rows] = _inverse_logit(b[0] + T @ b[1:])
    return out
