"""Class probabilities p_g(x) = softmax(Gamma_g' [1, x]) of latent class regression and one Newton step for Gamma."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from microveil.core.arrays import Floats
from microveil.kernels.mixture.passes import normalise_rows
from microveil.kernels.moments.central import row_blocks

_MOST_HALVINGS = 40


def log_class_probabilities(W: Floats, coefficients: Floats) -> Floats:
    """Log p_g for the rows of the design W = [1, x]; `coefficients` is G x q."""
    log_p = W @ coefficients.T
    normalise_rows(log_p)
    return log_p


def improve_coefficients(
    W: Floats, z: Floats, coefficients: Floats, log_p: Floats, ridge: float
) -> tuple[Floats, Floats]:
    """A Newton step for sum z log p(x) - ridge/2 |Gamma|^2, halved until it does not lower it; and the new log p.

    The first class is the reference: its coefficients stay 0.
    """
    if len(coefficients) == 1:
        return coefficients, log_p
    gradient, information = _derivatives(W, z, log_p)
    free = coefficients[1:]
    gradient -= ridge * free
    information[np.diag_indices_from(information)] += ridge
    step = cho_solve(cho_factor(information), gradient.ravel()).reshape(free.shape)
    now = _objective(z, log_p, coefficients, ridge)
    length = 1.0
    for _ in range(_MOST_HALVINGS):
        tried = coefficients.copy()
        tried[1:] += length * step
        tried_log_p = log_class_probabilities(W, tried)
        if _objective(z, tried_log_p, tried, ridge) >= now:
            return tried, tried_log_p
        length /= 2
    return coefficients, log_p


def _objective(z: Floats, log_p: Floats, coefficients: Floats, ridge: float) -> float:
    return float(np.vdot(z, log_p)) - ridge / 2 * float(np.vdot(coefficients, coefficients))


def _derivatives(W: Floats, z: Floats, log_p: Floats) -> tuple[Floats, Floats]:
    """Gradient (free classes x q) and information of the multinomial logit with weights z.

    All products of two columns of W meet all p_g (1[g = h] - p_h) in one matrix product per block of rows.
    """
    q, free = W.shape[1], z.shape[1] - 1
    g, h = np.triu_indices(free)
    a, b = np.triu_indices(q)
    gradient, packed = np.zeros((free, q)), np.zeros((len(g), len(a)))
    for rows in row_blocks(np.broadcast_to(W[:, :1], (len(W), len(a) + len(g)))):
        p = np.exp(log_p[rows, 1:])
        gradient += (z[rows, 1:] - p).T @ W[rows]
        spread = -p[:, g] * p[:, h]
        spread[:, g == h] += p
        packed += spread.T @ (W[rows][:, a] * W[rows][:, b])
    full = np.empty((free, free, q, q))
    full[g[:, None], h[:, None], a, b] = packed
    full[g[:, None], h[:, None], b, a] = packed
    full[h, g] = full[g, h]
    return gradient, full.transpose(0, 2, 1, 3).reshape(free * q, free * q)
