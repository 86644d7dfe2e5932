"""Synthetic records with the exact means and covariances of the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.claims import Claim, CovariancesKept, MeansKept
from microveil.core.arrays import Floats
from microveil.core.errors import NotEnoughRecords
from microveil.data.matrices import split_columns
from microveil.data.table import Table, Values
from microveil.run.afar import Rows, matrix, ones
from microveil.run.by_ranks import ByMaking, Making
from microveil.run.contract import Passes, Ties
from microveil.run.method import Job
from microveil.run.ranked import Ranked
from microveil.synth.base import FullSynthesiser

_MADE_AT_ONCE = 1 << 13  # records of which even those are made that leave no direction free


@dataclass(frozen=True, kw_only=True)
class CholeskySynthesis(ByMaking, FullSynthesiser, name="cholesky-synthesis"):
    """Draw normal records whose means and covariances are exactly the original's, in time linear in the records.

    Use it as the fastest generator for analyses of first and second moments. Nothing else is kept: shapes are
    normal, categories and zeros are lost. Any number of records from the number of independent columns + 1 up.
    """

    ties_record: ClassVar[Ties] = "none"
    passes: ClassVar[Passes] = "sums"
    least_records: ClassVar[tuple[int, int]] = (3, 0)
    reference = "Mateo-Sanz, Martinez-Balleste & Domingo-Ferrer 2004"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means and covariances."""
        return (MeansKept(), CovariancesKept())

    def draw(self, table: Table, records: int, job: Job) -> tuple[Mapping[str, Values], tuple[str, ...]]:
        """Exact noise with the original's moments."""
        from microveil.kernels.draws.linear import cholesky_synthesis
        from microveil.kernels.moments.central import mean_and_covariance

        self._refuse_few(table.rows)
        mean, V = mean_and_covariance(table.matrix())
        return split_columns(cholesky_synthesis(mean, V, records, job.streams), table), ()

    def learn(self, records: Ranked) -> Making:
        """The same from sums over records that are not all in memory."""
        from microveil.kernels.draws.linear import cholesky_synthesis, refuse_few_records

        self._refuse_few(records.records)
        mean, V = records.moments(matrix)
        made = records.made(self.number_of(records.records))
        refuse_few_records(made.records)
        if made.records <= _MADE_AT_ONCE:
            rows = _cut_out(cholesky_synthesis(mean, V, made.records, made.job.streams))
        else:
            rows = _about(mean, made.exact_noise(ones, V))
        header = records.table
        return self.making(made, lambda block, its: split_columns(rows(block, its), header), header.names)

    def _refuse_few(self, records: int) -> None:
        if records < 3:
            raise NotEnoughRecords(f"{self.name} needs at least 3 records to draw from: {records} given")


def _about(mean: Floats, noise: Rows) -> Rows:
    return lambda block, its: np.asarray(mean + noise(block, its))


def _cut_out(made: Floats) -> Rows:
    return lambda block, its: made[its.streams.places(block.rows)]
