"""Latin hypercube synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Claim, RangeKept
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Range
from microveil.data.extremes import tell_drawn_extremes
from microveil.data.matrices import split_columns
from microveil.data.table import Table, Values
from microveil.run.contract import Ties
from microveil.run.method import Job
from microveil.synth.base import FullSynthesiser


@dataclass(frozen=True, kw_only=True)
class LatinHypercube(FullSynthesiser, name="latin-hypercube"):
    """Draw one value from each equally probable stratum of every column and pair them by rank correlation.

    Use it when distributions of single columns and their rank correlations matter and the shape of the joint
    distribution less. Values are interpolated between observed ones, so the range is kept and no continuous
    value is copied unless it is tied; ordinal columns take observed categories, missing as one of them.
    """

    rounds: Annotated[int, Range(ge=1, grid=(1, 20)), "most rounds of refining the rank correlations"] = 20

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal")
    ties_record: ClassVar[Ties] = "none"
    least_records: ClassVar[tuple[int, int]] = (3, 0)
    reference = "Dandekar, Cohen & Kirkendall 2002; Iman & Conover 1982"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """The range."""
        return (RangeKept(),)

    def draw(self, table: Table, records: int, job: Job) -> tuple[Mapping[str, Values], tuple[str, ...]]:
        """Stratified values in the order that restores the rank correlations."""
        from microveil.kernels.draws.latin import latin_hypercube

        if table.rows < 3:
            raise NotEnoughRecords(f"{self.name} needs at least 3 records to draw from: {table.rows} given")
        stepped = np.array([values.levels is not None for values in table.columns.values()])
        # a missing category is a category, below the others
        codes = np.column_stack([values.data for values in table.columns.values()]).astype(np.float64)
        X = latin_hypercube(codes, records, stepped, self.rounds, job.streams.generator())
        columns = split_columns(X, table)
        return columns, tell_drawn_extremes(table, columns)
