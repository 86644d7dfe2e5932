"""Principal components of correlation matrices, and those of a protected file matched to the original's."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Matrix

_NULL = 1e-12  # eigenvalues below p times this part of the largest are 0


class Components(NamedTuple):
    """Loadings (correlations of attributes with components), score coefficients and eigenvalues, largest first.

    Components without variance have loadings and coefficients 0.
    """

    loadings: Matrix
    scores: Matrix
    eigenvalues: Matrix
    vectors: Matrix


def principal_components(R: Matrix) -> Components:
    """Components of a correlation matrix, singular ones included."""
    w, E = np.linalg.eigh(R)
    w, E = w[::-1], E[:, ::-1]
    live = w > _NULL * len(w) * max(w[0], 0.0)
    root = np.sqrt(np.where(live, w, 0.0))
    per_root = np.divide(1.0, root, out=np.zeros(len(w)), where=live)
    return Components(E * root, E * per_root, np.where(live, w, 0.0), E)


def match_to(original: Components, other: Components, matching: Literal["order", "similarity"]) -> Components:
    """The other file's components in the original's order and orientation.

    `similarity` pairs directions by an assignment of largest total |cosine|: near-equal eigenvalues
    change places easily. Signs of components are arbitrary; they follow the original's.
    """
    order = np.arange(len(original.eigenvalues))
    if matching == "similarity":
        from scipy.optimize import linear_sum_assignment

        order = linear_sum_assignment(-np.abs(original.vectors.T @ other.vectors))[1]
    together = np.einsum("ij,ij->j", original.vectors, other.vectors[:, order])
    sign = np.where(together < 0, -1.0, 1.0)
    return Components(
        other.loadings[:, order] * sign,
        other.scores[:, order] * sign,
        other.eigenvalues[order],
        other.vectors[:, order] * sign,
    )
