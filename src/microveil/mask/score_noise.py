"""What noise on normal scores does to any records, given what is known of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints, Matrix, Vector
from microveil.core.streams import Streams
from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import eigh
from microveil.kernels.linalg.bases import factor, pseudo_inverse

_STEEPNESS = 0.5  # part of the correlation error corrected in a round
_AGAIN = 50  # draws of a record that hardly moves


@dataclass(frozen=True)
class Moved:
    """Draws again for records whose scores moved too little."""

    mean: Vector
    root: Matrix
    inverse: Matrix
    p: float
    least: float

    @classmethod
    def of(cls, mean: Vector, V: Matrix, p: float, least: float) -> Moved:
        """With noise of p times the covariance V of the scores, and moves of so many standard deviations at least."""
        return cls(mean, factor(V) * p, pseudo_inverse(V), p, least)

    def enough(self, g: Matrix, h: Matrix, streams: Streams) -> Matrix:
        """The noisy scores h of some records with scores g; those that are too near are overwritten."""
        for number in range(_AGAIN):
            move = h - g
            lengths = (times(move, self.inverse) * move).sum(axis=1)
            near = np.flatnonzero(lengths < self.least**2)
            if not len(near):
                break
            fresh = times(streams.at("again", number).of_rows(near).normals(0, len(near), len(self.root)), self.root)
            h[near] = self.mean + (g[near] - self.mean + fresh) / np.sqrt(1 + self.p**2)
        return h


def nearer_target(target: Matrix, D: Matrix) -> Matrix:
    """The covariance that scores are given next where correlations are off by D."""
    spread = np.sqrt(np.diag(target))
    return _as_covariance(target + _STEEPNESS * 2 * D * np.outer(spread, spread))


def _as_covariance(S: Floats) -> Matrix:
    w, U = eigh((S + S.T) / 2)
    return times(U * np.maximum(w, 1e-6 * w[-1]), U.T)


def shares_of_levels(counts: Ints) -> Vector:
    """The share of the observed values up to each level."""
    return np.asarray(np.cumsum(counts) / counts.sum())


def steps_of(shares: Vector, h: Vector) -> Vector:
    """The numbers of the levels that noisy scores stand for."""
    from scipy.special import ndtr

    found = np.searchsorted(shares - 1e-12, ndtr(h), "left")
    return np.asarray(np.minimum(found, len(shares) - 1), dtype=np.float64)
