"""Rounding to multiples of a base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import ChangeWithin, Claim, MultiplesOf, TotalsWithin
from microveil.core.arrays import Ints, Vector
from microveil.core.parameters import Range, Safer
from microveil.core.streams import Streams
from microveil.data.table import Table
from microveil.mask.base import Draws, DrawsInGroups, RowMask, depends
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class Round(RowMask, name="round"):
    """Round every value to a multiple of `base`.

    `nearest` moves a value by at most half the base and repeats itself; `random` goes up or down at
    random so that means stay on average, and leaves multiples as they are; `controlled` does so with column
    totals (of each subdomain with `by=`) off by less than one base. For own rounding points see
    `RoundToPoints`.
    """

    base: Annotated[float, Range(gt=0, grid=(10, 100, 1000)), Safer("ten times"), "the multiple to round to"]
    mode: Annotated[
        Literal["nearest", "random", "controlled"], "to the nearest multiple, at random, or at random with totals kept"
    ] = "nearest"

    passes: ClassVar[Passes] = depends("row", lambda mask: "order" if mask.mode == "controlled" else "row")
    gathers: ClassVar[bool] = depends(True, lambda mask: mask.mode != "controlled")
    random: ClassVar[bool] = depends(True, lambda mask: mask.mode != "nearest")
    coarsens: ClassVar[bool] = depends(False, lambda mask: mask.mode == "nearest")
    reference = "Willenborg & de Waal 2001; Cox & Kim 2006"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Multiples of the base, not far from the original."""
        near = ChangeWithin(distance=self.base / 2 if self.mode == "nearest" else self.base)
        totals = (TotalsWithin(distance=self.base),) if self.mode == "controlled" else ()
        return (MultiplesOf(base=self.base), near, *totals)

    def rows(self, x: Vector, known: object, draws: Draws | DrawsInGroups) -> Vector:
        """The rounded values of some records."""
        low, part = self._steps(x)
        up = part >= 0.5 if self.mode == "nearest" else draws.uniform() < part
        return self.base * (low + up)

    def _steps(self, x: Vector) -> tuple[Vector, Vector]:
        # 12 digits: 0.3 / 0.1 must count as three steps although it is 2.9999999999999996
        steps = np.round(x / self.base, 12)
        low = np.floor(steps)
        return low, steps - low

    def run(self, table: Table, job: Job) -> Outcome:
        """Round every column."""
        if self.mode != "controlled":
            return super().run(table, job)
        columns = {}
        for name, values in table.columns.items():
            data = values.numbers.copy()
            observed = np.flatnonzero(~values.missing)
            streams = job.streams.at(name).of_rows(observed)
            low, part = self._steps(data[observed])
            data[observed] = self.base * (low + controlled_up(part, streams))
            columns[name] = values.with_data(data)
        return Outcome(columns)

    def run_in_groups(self, table: Table, job: Job, labels: Ints) -> Outcome | None:
        """All groups in one pass; where totals of each are kept, one by one."""
        return None if self.mode == "controlled" else self.rows_in_groups(table, job, labels, lambda _: None)


def controlled_up(part: Vector, streams: Streams) -> Vector:
    """1 where a value is rounded up: with the chance of its part, their number off by less than one.

    Along a random order the value at which the cumulated parts pass a whole number plus a random start goes up
    (systematic sampling).
    """
    order = streams.order(len(part))
    passed = np.floor(np.round(np.cumsum(part[order]), 9) + streams.at("start").generator().random())
    up = np.zeros(len(part))
    up[order] = np.diff(passed, prepend=0.0)
    return up
