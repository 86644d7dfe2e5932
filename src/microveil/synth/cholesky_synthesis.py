"""Synthetic records with the exact means and covariances of the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from microveil.claims import Claim, CovariancesKept, MeansKept
from microveil.core.errors import NotEnoughRecords
from microveil.data.matrices import split_columns
from microveil.data.table import Table, Values
from microveil.run.contract import Passes, Ties
from microveil.run.method import Job
from microveil.synth.base import FullSynthesiser


@dataclass(frozen=True, kw_only=True)
class CholeskySynthesis(FullSynthesiser, name="cholesky-synthesis"):
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

        if table.rows < 3:
            raise NotEnoughRecords(f"{self.name} needs at least 3 records to draw from: {table.rows} given")
        mean, V = mean_and_covariance(table.matrix())
        return split_columns(cholesky_synthesis(mean, V, records, job.streams), table), ()
