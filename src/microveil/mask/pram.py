"""PRAM: categories changed at random with known probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.core.arrays import Codes, Floats, Matrix
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.kernels.summaries.counts import Counts
from microveil.mask.base import RowWise
from microveil.mask.crossed import Crossed
from microveil.mask.pram_matrix import base_matrix, check_transition, forbid, pairs_of
from microveil.mask.transitions import TransitionMask, check_column_names, draw, level_counts, parents_of
from microveil.run.method import Job, Outcome, depends


@dataclass(frozen=True, kw_only=True)
class Pram(TransitionMask, RowWise, name="pram"):
    """Change each category at random by a transition matrix that may be published.

    Use it on categorical keys: nobody knows which values are true, and frequencies can be estimated back
    without bias (`estimate_frequencies`). Own matrices list their rows in the order of the levels. `by=`
    uses the frequencies of each stratum; `joint` treats all columns as one, so that combinations that do
    not occur never appear. Missing cells stay.
    """

    columns_apart: ClassVar[bool] = depends(True, lambda mask: not mask.joint)

    def transition(self, name: str, values: Values) -> Matrix:
        """The matrix for a column: row = old level, column = new level."""
        return self._matrix(name, values, level_counts(values))

    def _matrix(self, name: str, values: Values, counts: Floats) -> Matrix:
        levels = values.levels or ()
        if self.matrix and name in self.matrix:
            P = check_transition(self.matrix[name], levels, name)
        else:
            P = base_matrix(self.pattern, self.stay, counts, parents_of(values))
        return forbid(P, pairs_of(self.forbidden, name, levels))

    def learn(self, table: Table, job: Job) -> tuple[Crossed | None, Mapping[str, Matrix]]:
        """The matrix of each column, or the combinations that occur and the matrix of these."""
        check_column_names(table, matrix=self.matrix, forbidden=self.forbidden)
        if self.joint:
            crossed = Crossed.gather(job.engine, table)
            levels = crossed.column(table.take(slice(0, 0)))
            return crossed, {"joint": self._matrix("joint", levels, crossed.found.counts.astype(np.float64))}
        return None, {name: self._learn_matrix(name, table, job) for name in table.names}

    def _learn_matrix(self, name: str, table: Table, job: Job) -> Matrix:
        levels = len(table[name].levels or ())
        found = job.engine.gather(table, lambda block: Counts.of(block[name].data, levels))
        return self._matrix(name, table[name], found.counts.astype(np.float64))

    def act(self, table: Table, job: Job, known: tuple[Crossed | None, Mapping[str, Matrix]]) -> Outcome:
        """Draw new categories by record position."""
        crossed, matrices = known
        if crossed is not None:
            codes = _draw_by_position(crossed.column(table), matrices["joint"], job.streams.at("joint"))
            return Outcome(crossed.apart(codes, table))
        return Outcome(
            {
                name: values.with_data(_draw_by_position(values, matrices[name], job.streams.at(name)))
                for name, values in table.columns.items()
            }
        )


def _draw_by_position(values: Values, P: Matrix, streams: Streams) -> Codes:
    return draw(values.data, P, streams.uniforms(0, len(values.data))[:, 0])
