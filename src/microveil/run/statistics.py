"""Statistics of all records of a table, asked of the engine that has them."""

from __future__ import annotations

from collections.abc import Callable

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.data.table import Table
from microveil.kernels.fixed.sums import ExactMoments, Grid
from microveil.kernels.summaries.extremes import Extremes
from microveil.run.engine import Engine


def gather_moments(engine: Engine, table: Table, of: Callable[[Table], Floats]) -> tuple[ExactMoments, Floats, Floats]:
    """Sums and cross-products of a matrix that `of` makes of some records, with smallest and largest values.

    Two passes: the extremes say on which grid all parts put their values, so that their sums add up exactly.
    """
    ends = engine.gather(table, lambda block: Extremes.of(of(block)))
    if ends.missing.any():
        raise BadInput("sums over records need finite values; leave missing and infinite values out first")
    grid = Grid.between(ends.low, ends.high)
    return engine.gather(table, lambda block: ExactMoments.of(of(block), grid)), ends.low, ends.high
