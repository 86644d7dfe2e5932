"""Groups along one score of all attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.errors import BadInput
from microveil.core.parameters import Range
from microveil.core.streams import Streams
from microveil.partition.base import Partition


@dataclass(frozen=True, kw_only=True)
class Projection(Partition, name="projection"):
    """Sort the records by one score and group those that follow one another.

    Use it on attributes that move together, or for speed: the time is that of a sort. On other data it loses far more
    than MDAV. The score is the first principal component (`pc1`), the sum of the attributes turned to agree with it
    (`zsum`), or one attribute by its number.

    >>> Projection(k=2, score="zsum").labels([[1.0, 9.0], [2.0, 8.0], [7.0, 2.0], [8.0, 1.0]]).tolist()
    [1, 1, 0, 0]
    """

    score: Annotated[
        Literal["pc1", "zsum"] | int, Range(ge=0, grid=("pc1", "zsum", 0)), "what the records are sorted by"
    ] = "pc1"
    grouping: Annotated[
        Literal["consecutive", "optimal"], "k after k, or the cuts with the least loss in the score"
    ] = "consecutive"

    reference = "Defays & Nanopoulos 1993; Mateo-Sanz & Domingo-Ferrer 1998"

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        from microveil.kernels.grouping.cuts import consecutive, optimal_cuts

        score = self.scores(X)
        order = np.argsort(score, kind="stable")
        labels = np.empty(len(X), dtype=np.int64)
        if self.grouping == "consecutive":
            labels[order] = consecutive(len(X), self.k)
        else:
            labels[order] = optimal_cuts(score[order][:, None], self.k, np.ones(len(X), dtype=np.bool_))
        return labels

    def scores(self, X: Matrix) -> Matrix:
        """The score of each row of a standardised matrix."""
        if isinstance(self.score, int):
            if self.score >= X.shape[1]:
                raise BadInput(f"score={self.score} is not there: columns are numbered 0 to {X.shape[1] - 1}")
            return X[:, self.score]
        loadings = first_component(X)
        # eigenvectors carry rounding: an attribute that does not take part keeps its own direction
        direction = np.where(loadings < -1e-12, -1.0, 1.0) if self.score == "zsum" else loadings
        return np.asarray(X @ direction)


def first_component(X: Matrix) -> Matrix:
    """The loadings of the first principal component; the largest is positive."""
    centred = X - X.mean(axis=0)
    loadings = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    return np.asarray(loadings * (1.0 if loadings[np.argmax(np.abs(loadings))] >= 0 else -1.0))
