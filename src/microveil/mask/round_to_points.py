"""Rounding to a set of points, one column at a time or several together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from microveil.claims import Claim, EqualStayEqual
from microveil.core.arrays import Matrix
from microveil.core.errors import BadInput
from microveil.core.parameters import Grid
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.mask.base import RowWise, depends
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome

_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class RoundToPoints(RowWise, name="round-to-points"):
    """Replace every value by the nearest of given points, or every record by the nearest of given vectors.

    Use it for published class middles or a code book. Numbers round each column on its own, ties upwards;
    vectors with one entry per column round whole records, by distance in standard deviations.
    """

    points: Annotated[
        tuple[float, ...] | tuple[tuple[float, ...], ...],
        Grid(((-1000.0, 0.0, 1000.0),)),
        "rounding points: numbers, or vectors with an entry for each column",
    ]

    # distances of vectors are in standard deviations
    passes: ClassVar[Passes] = depends("row", lambda mask: "sums" if mask.of_vectors else "row")
    gathers: ClassVar[bool] = depends(True, lambda mask: not mask.of_vectors)
    random: ClassVar[bool] = False
    reference = "Cox & Kim 2006"

    def validate(self) -> None:
        """At least one point; all of one length."""
        if not self.points:
            raise BadInput("points is empty; give at least one rounding point")
        if len({len(point) if isinstance(point, tuple) else 0 for point in self.points}) > 1:
            raise BadInput("points must all be numbers or all be vectors of one length")

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Column by column: a value becomes the same value everywhere."""
        return () if isinstance(self.points[0], tuple) else (EqualStayEqual(),)

    @property
    def of_vectors(self) -> bool:
        """Whether whole records are rounded."""
        return isinstance(self.points[0], tuple)

    def run(self, table: Table, job: Job) -> Outcome:
        """Round value by value, or all records as they lie together."""
        if not self.of_vectors:
            return super().run(table, job)
        points, X = np.array(self.points, dtype=np.float64), table.matrix()
        if points.shape[1] != X.shape[1]:
            raise BadInput(f"points have {points.shape[1]} entries; {X.shape[1]} columns are rounded")
        spread = X.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        return Outcome(split_columns(points[nearest_vector(X / scale, points / scale)], table))

    def act(self, table: Table, job: Job, known: Any) -> Outcome:
        """Round the values of some records."""
        return Outcome(split_columns(nearest_point(table.matrix(), np.unique(np.array(self.points))), table))


def nearest_point(X: Matrix, points: Matrix) -> Matrix:
    """The nearest of the sorted points for every value, the upper one of two."""
    middles = (points[:-1] + points[1:]) / 2
    return np.asarray(points[np.searchsorted(middles, X, "right")])


def nearest_vector(X: Matrix, points: Matrix) -> np.ndarray:
    """The row of the nearest point for every row, the first of several."""
    out = np.empty(len(X), dtype=np.int64)
    step = max(1, _BLOCK // len(points))
    for start in range(0, len(X), step):
        rows = X[start : start + step]
        squared = ((rows[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
        out[start : start + step] = np.argmin(squared, axis=1)
    return out
