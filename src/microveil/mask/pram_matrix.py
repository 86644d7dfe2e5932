"""Transition matrices of post-randomisation, and estimates from post-randomised tables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Matrix, Vector
from microveil.core.errors import BadInput

Pattern = Literal["uniform", "frequency", "band", "block"]

_ROW_SUM = 1e-9
_SINGULAR = 1e12  # condition above which frequencies cannot be estimated back


class Estimate(NamedTuple):
    """Estimated original frequencies and their covariance given the original file."""

    frequencies: Vector
    covariance: Matrix


def base_matrix(pattern: Pattern, stay: float, counts: Vector, parents: Sequence[Hashable] | None = None) -> Matrix:
    """A transition matrix with `stay` on the diagonal.

    The rest of a row is spread evenly (`uniform`), by frequency, over the neighbours (`band`), or evenly over
    the levels with the same parent (`block`; a level without siblings stays, no hierarchy is one block).
    """
    K = len(counts)
    apart = ~np.eye(K, dtype=bool)
    if pattern == "band":
        weight = (np.abs(np.subtract.outer(np.arange(K), np.arange(K))) == 1).astype(np.float64)
    elif pattern == "block":
        above = parents or [None] * K
        weight = np.array([[a == b for b in above] for a in above], dtype=np.float64) * apart
    elif pattern == "frequency":
        weight = np.tile(np.asarray(counts, dtype=np.float64), (K, 1)) * apart
    else:
        weight = apart.astype(np.float64)
    total = weight.sum(axis=1, keepdims=True)
    P = (1 - stay) * np.divide(weight, total, out=np.zeros((K, K)), where=total > 0)
    P[np.eye(K, dtype=bool)] = 1 - P.sum(axis=1)
    return np.asarray(P)


def check_transition(rows: Sequence[Sequence[float]], levels: Sequence[object], name: str) -> Matrix:
    """A user's own matrix, checked: square, entries >= 0, rows of sum 1."""
    K = len(levels)
    if len(rows) != K or any(len(row) != K for row in rows):
        raise BadInput(f"the matrix of {name!r} must have {K} rows of {K} numbers, one for each of {list(levels)[:12]}")
    P = np.array(rows, dtype=np.float64)
    if not np.isfinite(P).all() or (P < 0).any() or (np.abs(P.sum(axis=1) - 1) > _ROW_SUM).any():
        raise BadInput(
            f"the rows of the matrix of {name!r} must be probabilities of sum 1: sums {P.sum(axis=1).tolist()}"
        )
    return P


def forbid(P: Matrix, pairs: Sequence[tuple[int, int]]) -> Matrix:
    """P without these transitions; their probability stays on the diagonal."""
    out = P.copy()
    for a, b in pairs:
        if a != b:
            out[a, a] += out[a, b]
            out[a, b] = 0.0
    return out


def invariant_matrix(P: Matrix, counts: Vector, alpha: float = 1.0) -> Matrix:
    """The two-stage matrix alpha P Q + (1 - alpha) I that leaves the frequencies as they are in expectation.

    Q is the chance of each original level given the post-randomised one (Gouweleeuw et al. 1998). The flows
    diag(counts) R are symmetric.
    """
    joint = counts[:, None] * P
    column = joint.sum(axis=0)
    Q = np.divide(joint, column, out=np.zeros_like(joint), where=column > 0).T
    R = P @ Q
    # the flows are symmetric in exact arithmetic: make them so to the bit, and invariance with them
    return _from_flows(alpha * counts[:, None] * R, counts)


def direct_invariant_matrix(theta: float, counts: Vector) -> Matrix:
    """The invariant matrix with equal flows between all pairs: R_kl = theta T_min / ((K - 1) T_k)."""
    K = len(counts)
    if K < 2:
        return np.eye(K)
    flow = theta * counts[counts > 0].min() / (K - 1)
    flows = np.where(np.outer(counts > 0, counts > 0), flow, 0.0)
    return _from_flows(flows, counts)


def forbid_both_ways(R: Matrix, counts: Vector, pairs: Sequence[tuple[int, int]]) -> Matrix:
    """An invariant matrix without these transitions in either direction; it stays invariant."""
    flows = counts[:, None] * R
    for a, b in pairs:
        flows[a, b] = flows[b, a] = 0.0
    return _from_flows(flows, counts)


def _from_flows(flows: Matrix, counts: Vector) -> Matrix:
    """The transition matrix of symmetric flows between different levels; what does not flow stays."""
    off = np.where(np.eye(len(counts), dtype=bool), 0.0, (flows + flows.T) / 2)
    R = np.divide(off, counts[:, None], out=np.zeros_like(off), where=counts[:, None] > 0)
    R[np.eye(len(counts), dtype=bool)] = 1 - R.sum(axis=1)
    return R


# -- what users of a post-randomised file compute -------------------------------------------------


def estimate_frequencies(P: Matrix, released: Vector) -> Estimate:
    """Unbiased estimate of the original frequencies of one attribute from the released ones.

    T = (P^-1)' T*, with the covariance of T given the original file, by (P^-1)' V P^-1 with
    V = sum_k T_k (diag(P_k) - P_k P_k').
    """
    inverse = _inverse(P)
    frequencies = inverse.T @ np.asarray(released, dtype=np.float64)
    return Estimate(frequencies, inverse.T @ release_covariance(P, frequencies) @ inverse)


def release_covariance(P: Matrix, original: Vector) -> Matrix:
    """Covariance of the released frequencies given the original ones."""
    return np.asarray(np.diag(P.T @ original) - P.T @ (original[:, None] * P))


def estimate_table(transitions: Sequence[Matrix], released: Floats) -> Floats:
    """Unbiased estimate of an original table of several attributes, each with its own matrix (one per axis)."""
    table = np.asarray(released, dtype=np.float64)
    if table.ndim != len(transitions):
        raise BadInput(f"a table of {table.ndim} axes needs as many matrices; {len(transitions)} were given")
    for axis, P in enumerate(transitions):
        table = np.moveaxis(np.tensordot(_inverse(P).T, table, axes=(1, axis)), 0, axis)
    return table


def maximum_likelihood_frequencies(P: Matrix, released: Vector, rounds: int = 10_000) -> Vector:
    """Estimated original frequencies that are never negative, by the EM algorithm; also for singular P."""
    released = np.asarray(released, dtype=np.float64)
    T = np.full(len(P), released.sum() / len(P))
    for _ in range(rounds):
        expected = T @ P
        step = T * (P @ np.divide(released, expected, out=np.zeros_like(released), where=expected > 0))
        moved = float(np.abs(step - T).max())
        T = step
        if moved <= 1e-10 * max(released.sum(), 1.0):
            break
    return T


def _inverse(P: Matrix) -> Matrix:
    if np.linalg.cond(P) > _SINGULAR:
        raise BadInput("the transition matrix is singular: frequencies cannot be estimated back without bias")
    return np.asarray(np.linalg.inv(P))


def pairs_of(
    forbidden: Mapping[str, tuple[tuple[str, str], ...]] | None, name: str, levels: Sequence[object]
) -> list[tuple[int, int]]:
    """Forbidden transitions of one column as positions among its levels."""
    place = {str(level): i for i, level in enumerate(levels)}
    pairs = []
    for a, b in (forbidden or {}).get(name, ()):
        for level in (a, b):
            if level not in place:
                raise BadInput(f"forbidden names the level {level!r}; {name!r} has {list(place)[:30]}")
        pairs.append((place[a], place[b]))
    return pairs
