"""Columns of categories taken as one, whose levels are the combinations that occur."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Codes
from microveil.data.table import Table, Values
from microveil.kernels.summaries.distinct import Distinct
from microveil.run.job import Job


@dataclass(frozen=True)
class Crossed:
    """The combinations of the complete records of a file; a record with a gap has none."""

    found: Distinct

    @classmethod
    def gather(cls, table: Table, job: Job) -> Crossed:
        """The combinations that occur in a table."""
        return cls(job.engine.gather(table, job, lambda block, _: Distinct.of(block.take(~block.incomplete).codes())))

    def column(self, table: Table) -> Values:
        """The combination of each of some records as one column."""
        codes = np.full(table.rows, -1, dtype=np.int64)
        complete = ~table.incomplete
        codes[complete] = self.found.places(table.take(complete).codes())
        return Values("nominal", codes, tuple(map(tuple, self.found.rows.tolist())))

    def apart(self, changed: Codes, table: Table) -> dict[str, Values]:
        """The columns of some records again, each record with the combination of this number; gaps stay."""
        codes = table.codes()
        if len(self.found.rows):
            codes = np.where((changed >= 0)[:, None], self.found.rows[np.maximum(changed, 0)], codes)
        return {name: values.with_data(codes[:, j].copy()) for j, (name, values) in enumerate(table.columns.items())}
