"""Bootstrap from a smoothed distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Grid, Range, Safer, When
from microveil.core.streams import Streams
from microveil.data.extremes import tell_drawn_extremes
from microveil.data.matrices import split_columns
from microveil.data.table import Table, Values
from microveil.run.contract import Ties
from microveil.run.method import Job
from microveil.synth.base import FullSynthesiser

_STEPS_PER_CELL = 50
_MOST_STEPS = 200_000_000


@dataclass(frozen=True, kw_only=True)
class SmoothedBootstrap(FullSynthesiser, name="smoothed-bootstrap"):
    """Draw records from the original's distribution after smoothing it.

    Use it when shapes matter and no model fits. Continuous columns: records drawn with replacement get normal
    noise and are shrunk so that mean and covariance stay on average. Categories: a table drawn from the log-linear
    model of the given order, mixed with the uniform table; `fixed_margins` walks through the tables with exactly the
    original's margins of that order instead. In mixed files the continuous part is drawn inside the cell.
    """

    bandwidth: Annotated[
        float | None,
        Range(gt=0, grid=(0.2,)),
        Safer("twice"),
        "noise in standard deviations; none: by number of records and columns",
    ] = None
    order: Annotated[int, Range(ge=1, grid=(1, 2)), "highest order of interaction in the log-linear model"] = 2
    smoothing: Annotated[float, Range(ge=0, lt=1, grid=(0.0, 0.01)), "share of the uniform table mixed in"] = 0.01
    fixed_margins: Annotated[
        bool, When(records=None, smoothing=0.0), Grid((False,)), "keep the margins of `order` columns exactly"
    ] = False

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    ties_record: ClassVar[Ties] = "none"
    also_try = ({"fixed_margins": True, "order": 1, "smoothing": 0.0},)
    least_records: ClassVar[tuple[int, int]] = (3, 0)
    reference = "Fienberg 1994; Fienberg, Makov & Steele 1998; Silverman 1986"

    def draw(self, table: Table, records: int, job: Job) -> tuple[Mapping[str, Values], tuple[str, ...]]:
        """Categories first, then the continuous columns of records in the same cell."""
        from microveil.kernels.draws.linear import smoothed_bootstrap

        if table.rows < 3:
            raise NotEnoughRecords(f"{self.name} needs at least 3 records to draw from: {table.rows} given")
        numbers = table.only(name for name, values in table.columns.items() if values.levels is None)
        categories = table.only(name for name, values in table.columns.items() if values.levels is not None)
        columns: dict[str, Values] = {}
        rows = (job.streams.at("rows").by_rank().uniforms(0, records)[:, 0] * table.rows).astype(np.int64)
        if categories.names:
            cells, old_cells, made = self._categories(categories, records, job)
            rows = _rows_in_cells(cells, old_cells, job.streams.at("rows").by_rank())
            columns.update(made)
        if numbers.names:
            X = smoothed_bootstrap(numbers.matrix(), rows, self.bandwidth, job.streams.at("noise"))
            columns.update(split_columns(X, numbers))
        return {name: columns[name] for name in table.names}, tell_drawn_extremes(table, columns)

    def _categories(self, table: Table, records: int, job: Job) -> tuple[Ints, Ints, dict[str, Values]]:
        """New and old cell of each record, and the new columns; missing is a category."""
        from microveil.kernels.tables import log_linear as kernels

        codes = [values.data + 1 for values in table.columns.values()]
        shape = tuple(int(code.max()) + 1 for code in codes)
        kernels.check_cells(shape, table.names)
        old = np.ravel_multi_index(codes, shape)
        counts = np.bincount(old, minlength=int(np.prod(shape))).reshape(shape)
        generator = job.streams.at("table").generator()
        if self.fixed_margins:
            steps = min(_STEPS_PER_CELL * (counts.size + table.rows), _MOST_STEPS)
            drawn = kernels.walk_fixed_margins(counts, self.order, steps, generator)
            cells = generator.permutation(np.repeat(np.arange(drawn.size), drawn.ravel()))
        else:
            fitted = kernels.fit_log_linear(counts.astype(np.float64), self.order)
            cells = kernels.draw_cells(kernels.smoothed_probabilities(fitted, self.smoothing), records, generator)
        new = np.unravel_index(cells, shape)
        made = {
            name: values.with_data(np.asarray(new[j] - 1, dtype=np.int64))
            for j, (name, values) in enumerate(table.columns.items())
        }
        return cells, old, made


def _rows_in_cells(cells: Ints, old_cells: Ints, streams: Streams) -> Ints:
    """For each new record a random original one of its cell; of the whole file where the cell was empty."""
    order = np.argsort(old_cells, kind="stable")
    ordered = old_cells[order]
    first, last = np.searchsorted(ordered, cells, "left"), np.searchsorted(ordered, cells, "right")
    empty = first == last
    first, last = np.where(empty, 0, first), np.where(empty, len(order), last)
    return np.asarray(order[first + (streams.uniforms(0, len(cells))[:, 0] * (last - first)).astype(np.int64)])
