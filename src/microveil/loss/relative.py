"""Relative changes |a - a'| / |a| of cells, with a stated policy for cells that are 0."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.parameters import Grid

ZeroPolicy = Annotated[
    Literal["skip", "one", "scale"],
    Grid(("skip", "one", "scale")),
    "an original cell of 0: left out; a change of 100 % if it changed; or divided by the spread of its column",
]

ROUNDING = 1e-12  # of its scale: a computed statistic or change below this is 0


class CellCounts(NamedTuple):
    """How many cells there were, how many originals were 0 and how many of these changed, how many changes were cut."""

    cells: int
    zero: int
    changed: int
    capped: int


@dataclass
class RelativeChange:
    """Means of relative changes, and the account of what a zero or a cap did to them.

    A cell whose original is 0 is left out ("skip"), counts as a change of 100 % if it changed ("one"), or is
    divided by the scale of its attribute ("scale"). `cap` truncates each cell (Trottini 2003).
    """

    zeros: ZeroPolicy = "skip"
    cap: float | None = None
    counts: dict[str, CellCounts] = field(default_factory=dict)

    def mean(
        self,
        what: str,
        before: Matrix,
        after: Matrix,
        scale: Matrix | float,
        rounding: float = ROUNDING,
        weights: Matrix | float = 1.0,
    ) -> float:
        """Mean (weighted) relative change of the cells called `what`; 0 where no cell is left.

        Cells and changes below `rounding` times the scale are 0: the relative change of a mean that
        is 0 up to rounding says nothing.
        """
        size = drop_rounding(np.abs(before), scale, rounding)
        change = drop_rounding(np.abs(after - before), scale, rounding)
        zero = size == 0
        divisor = np.where(zero, np.broadcast_to(scale, size.shape), size) if self.zeros == "scale" else size
        ratio = np.divide(change, divisor, out=(change > 0).astype(np.float64), where=divisor > 0)
        counted = ~zero if self.zeros == "skip" else np.ones_like(zero)
        ratio, weight = ratio[counted], np.broadcast_to(weights, size.shape)[counted]
        capped = 0
        if self.cap is not None:
            capped = int((ratio > self.cap).sum())
            ratio = np.minimum(ratio, self.cap)
        self.counts[what] = CellCounts(size.size, int(zero.sum()), int((zero & (change > 0)).sum()), capped)
        return float((weight * ratio).mean()) if len(ratio) else 0.0

    def notes(self) -> list[str]:
        """What happened to zeros and to capped cells, one sentence each."""
        handled = {
            "skip": "were left out",
            "one": "count as a change of 100 % where they changed",
            "scale": "are divided by the spread of their column instead",
        }
        notes = []
        for what, (cells, zero, changed, capped) in self.counts.items():
            if zero:
                notes.append(f"{zero} of {cells} {what} that are 0 ({changed} of them changed) {handled[self.zeros]}")
            if capped:
                notes.append(f"{capped} of {cells} relative changes of {what} were cut to {self.cap:g}")
        return notes


def drop_rounding(size: Matrix, scale: Matrix | float, rounding: float = ROUNDING) -> Matrix:
    """The sizes, with 0 for those that are rounding errors of their scale."""
    return np.where(size > rounding * scale, size, 0.0)
