"""Bases of synthesisers: methods that draw new records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from microveil.core.parameters import Range
from microveil.data.table import Table, Values
from microveil.run.method import Job, Method, Outcome

Float = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Synthesiser(Method, family="synth"):
    """Base of all synthesisers."""


@dataclass(frozen=True, kw_only=True)
class FullSynthesiser(Synthesiser):
    """Base of synthesisers whose records belong to nobody; they take all columns unless some are named."""

    records: Annotated[
        int | None, Range(ge=1), "synthetic records to draw (inside subdomains: in each); none: as many as the original"
    ] = None

    default_roles: ClassVar[tuple[str, ...]] = ()

    def draw(self, table: Table, records: int, job: Job) -> tuple[Mapping[str, Values], tuple[str, ...]]:
        """The columns of the synthetic records, with notes."""
        raise TypeError(f"{type(self).__name__} must implement draw()")

    def run(self, table: Table, job: Job) -> Outcome:
        """Draw the records; none of them comes from a record given."""
        records = table.rows if self.records is None else self.records
        columns, notes = self.draw(table, records, job)
        return Outcome(columns, origin=no_origin(records), notes=notes)


def no_origin(records: int) -> NDArray[np.int64]:
    """The origin of synthetic records."""
    return np.full(records, -1, dtype=np.int64)


def split_columns(X: Matrix, like: Table) -> dict[str, Values]:
    """The columns of a matrix under the names and kinds of a table."""
    return {
        name: values.with_data(np.ascontiguousarray(X[:, j], dtype=values.data.dtype))
        for j, (name, values) in enumerate(like.columns.items())
    }


def indicators(given: Table, rows: int) -> Matrix:
    """The columns as numbers: categories as indicators of all but the first (missing is one of them)."""
    parts = [np.zeros((rows, 0))]
    for values in given.columns.values():
        if values.levels is None:
            parts.append(values.numbers[:, None])
        else:
            parts.append(np.equal.outer(values.data, np.unique(values.data)[1:]).astype(np.float64))
    return np.hstack(parts)
