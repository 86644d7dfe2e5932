"""Statistics of all records of a table, asked of the engine that has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.data.table import Table
from microveil.kernels.fixed.sums import ExactMoments, Grid
from microveil.kernels.summaries.extremes import Extremes
from microveil.kernels.summaries.order import Order
from microveil.kernels.summaries.summary import Summary
from microveil.kernels.summaries.together import Together
from microveil.run.job import Job

S = TypeVar("S", bound=Summary)


def known_ends(table: Table, job: Job) -> Extremes | None:
    """Smallest and largest values of the columns of a table, where they are known before anything is gathered."""
    if not all(name in job.ends for name in table.names):
        return None
    low, high = (np.array([job.ends[name][side] for name in table.names]) for side in (0, 1))
    return Extremes(low, high, table.rows, np.zeros(len(low), dtype=np.int64))


def gather_moments(
    table: Table, job: Job, of: Callable[[Table, Job], Floats], ends: Extremes | None = None
) -> tuple[ExactMoments, Floats, Floats]:
    """Sums and cross-products of a matrix that `of` makes of some records, with smallest and largest values.

    Two passes: the extremes say on which grid all parts put their values, so that their sums add up exactly. One where
    these `ends` are known.
    """
    if ends is None:
        ends = job.engine.gather(table, job, lambda block, its: Extremes.of(of(block, its)))
    _refuse_gaps(ends)
    grid = Grid.between(ends.low, ends.high)
    return job.engine.gather(table, job, lambda block, its: ExactMoments.of(of(block, its), grid)), ends.low, ends.high


class Observed(NamedTuple):
    """Sums over the observed values of one column, with the smallest and the largest of them."""

    moments: ExactMoments
    low: Floats
    high: Floats


def gather_observed(table: Table, job: Job, made: Callable[[Table, Job], Table] | None = None) -> dict[str, Observed]:
    """Sums over the observed values of each column, all columns in the same two passes, or one where ends are known.

    `made`: the columns that are summed, from some records; those of the table if nothing is said.
    """

    def each(of: Callable[[str, Floats], S]) -> Together[str, S]:
        def some(block: Table, its: Job) -> Together[str, S]:
            own = block if made is None else made(block, its)
            return Together({name: of(name, _observed(own, name)) for name in own.names})

        return job.engine.gather(table, job, some)

    known = known_ends(table, job) if made is None else None
    ends = each(lambda _, x: Extremes.of(x)).parts if known is None else known.by_columns(table.names)
    grids = {name: Grid.between(found.low, found.high) for name, found in ends.items()}
    sums = each(lambda name, x: ExactMoments.of(x, grids[name])).parts
    return {name: Observed(sums[name], found.low, found.high) for name, found in ends.items()}


def gather_orders(table: Table, job: Job) -> dict[str, Order]:
    """The different values of each column in their order with their counts, all columns in one pass."""
    found: Together[str, Order] = job.engine.gather(
        table,
        job,
        lambda block, _: Together({name: Order.of(values.numbers) for name, values in block.columns.items()}),
    )
    return dict(found.parts)


def _observed(block: Table, name: str) -> Floats:
    x = block[name].numbers
    gaps = np.isnan(x)
    return (x[~gaps] if gaps.any() else x)[:, None]


def _refuse_gaps(ends: Extremes) -> None:
    if ends.missing.any():
        raise BadInput("sums over records need finite values; leave missing and infinite values out first")
