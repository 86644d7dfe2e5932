"""Of whom an intruder is sure: where the likeliest record is right with a high probability, by a tried model."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, Matrix

SURE = 0.95  # probability from which on a claim is made with confidence
_LEAST_CLAIMS = 10  # true pairs that tell whether such claims are right
_DEGREES = 3.0
_LEAST_SHARE = 0.1
_ROUNDS = 20
_POWER = 2 * np.log(SURE / (1 - SURE)) / np.log(4)
_NOTHING = 1e-12  # squared distance of records that are equal
_TRIED = (0.95, 0.98, 0.99, 0.995, 0.999)


def chance_of_nearest(cost: Floats, counts: Ints | None = None) -> Floats:
    """The probability of the first of some candidates in each row, whose costs are -2 log of likelihoods.

    `counts` is for how many records each stands. A row without any candidate has 0.

    >>> chance_of_nearest(np.array([[0.0, 2 * np.log(4.0)], [np.inf, np.inf]])).round(3).tolist()
    [0.8, 0.0]
    """
    there = np.isfinite(cost[:, 0])
    least = np.where(there, cost[:, 0], 0.0)[:, None]
    total = (np.exp(-0.5 * (cost - least)) * (1.0 if counts is None else counts)).sum(axis=1)
    return np.where(there, 1.0 / np.where(total > 0, total, 1.0), 0.0)


def sure_if_learnt(cost: Floats, counts: Ints | None = None) -> Bools:
    """The claims of a model that was learnt from nearest records, none of which is known to be true.

    Where it singles out a few only, these are those who stand apart in the file, and no claim is made.
    """
    sure = chance_of_nearest(cost, counts) >= SURE
    return sure if sure.mean() >= _LEAST_SHARE else np.zeros_like(sure)


def heavy_tailed(squares: Floats, columns: int) -> Floats:
    """-2 log of likelihoods from squared distances in standard deviations where nobody knows that changes are normal.

    Student's t with few degrees of freedom: one who stands apart in the file is not taken for certain.
    """
    return np.asarray((_DEGREES + columns) * np.log1p(squares / _DEGREES))


def scale_free(squares: Floats) -> Floats:
    """-2 log of likelihoods where every record may have changed by a scale of its own.

    A next record that is twice as far is as unlikely as `SURE` says.
    """
    return np.asarray(_POWER * np.log(np.maximum(squares, _NOTHING)))


def heavy_tailed_scatter(left: Matrix, least: Matrix) -> Matrix:
    """The scatter of differences by the same likelihood, where those that are far count little; `least` is added."""
    scatter = np.asarray(left.T @ left / len(left) + least)
    for _ in range(_ROUNDS):
        squares = np.einsum("ij,ij->i", left, left @ np.linalg.pinv(scatter, hermitian=True))
        weights = (_DEGREES + left.shape[1]) / (_DEGREES + squares)
        scatter = np.asarray((left * weights[:, None]).T @ left / len(left) + least)
    return scatter


def least_chance(chances: Floats, right: Bools) -> float:
    """The probability from which on claims about true pairs were right as often as `SURE` says; infinite if none is.

    >>> least_chance(np.full(20, 0.96), np.arange(20) < 10)
    inf
    """
    for least in _TRIED:
        claimed = chances >= least
        if claimed.sum() >= _LEAST_CLAIMS and right[claimed].mean() >= SURE:
            return least
    return float("inf")
