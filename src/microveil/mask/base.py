"""Bases of masking methods: by record, by column, by the whole matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from microveil.core.arrays import Ints, Matrix, Vector
from microveil.core.streams import Streams
from microveil.data.matrices import split_columns
from microveil.data.table import Table, Values
from microveil.run.contract import Passes
from microveil.run.method import Job, Method, Outcome
from microveil.run.method import depends as depends


@dataclass(frozen=True, kw_only=True)
class Mask(Method, family="mask"):
    """Base of all masking methods."""

    form: ClassVar[str] = ""  # which matrix form Z = AXB + C it has: average, swap, noise or sample

    def run_in_groups(self, table: Table, job: Job, labels: Ints) -> Outcome | None:
        """Every group masked by itself, all in one pass, with the promises of the mask in each; None: one by one.

        Labels number the groups from 0. A mask that can do so is many times faster in many small groups.
        """
        return None


@dataclass(frozen=True, kw_only=True)
class RowMask(Mask):
    """A mask that looks at the file once (`prepare`) and then at one record at a time (`rows`).

    Draws go by record position, so any chunking gives the same release.
    """

    passes: ClassVar[Passes] = "row"
    columns_apart: ClassVar[bool] = True
    skips_missing: ClassVar[bool] = True

    def prepare(self, x: Vector) -> Any:
        """What the mask needs to know about the whole column (observed values)."""
        return None

    def rows(self, x: Vector, known: Any, draws: Draws) -> Vector:
        """The masked values of some records of one column."""
        raise TypeError(f"{type(self).__name__} must implement rows()")

    def run(self, table: Table, job: Job) -> Outcome:
        """Mask every column, chunk by chunk."""
        masked = {
            name: self._column(values, job.streams.at(name), job.chunk_rows) for name, values in table.columns.items()
        }
        return Outcome(masked)

    def _column(self, values: Values, streams: Streams, chunk_rows: int) -> Values:
        x = values.numbers
        known = self.prepare(x[~values.missing])
        out = np.empty_like(x)
        for start in range(0, len(x), chunk_rows):
            stop = min(start + chunk_rows, len(x))
            out[start:stop] = self.rows(x[start:stop], known, Draws(streams, start, stop))
        out[values.missing] = np.nan
        return values.with_data(out)


@dataclass(frozen=True)
class Draws:
    """Random numbers for a run of records: one per record from the column's own stream."""

    streams: Streams
    start: int
    stop: int

    def uniform(self, purpose: str = "") -> Vector:
        """One uniform number in (0, 1) per record."""
        return self._stream(purpose).uniforms(self.start, self.stop)[:, 0]

    def normal(self, purpose: str = "") -> Vector:
        """One standard normal number per record."""
        return self._stream(purpose).normals(self.start, self.stop)[:, 0]

    def _stream(self, purpose: str) -> Streams:
        return self.streams.at(purpose) if purpose else self.streams


@dataclass(frozen=True, kw_only=True)
class ColumnMask(Mask):
    """A mask that needs a whole column at once, each column on its own."""

    passes: ClassVar[Passes] = "order"
    columns_apart: ClassVar[bool] = True
    skips_missing: ClassVar[bool] = True

    def column(self, x: Vector, streams: Streams) -> Vector:
        """The masked values of one column without gaps."""
        raise TypeError(f"{type(self).__name__} must implement column()")

    def run(self, table: Table, job: Job) -> Outcome:
        """Mask the observed cells of every column."""
        masked = {}
        for name, values in table.columns.items():
            observed = ~values.missing
            data = values.data.copy()
            if observed.any():
                streams = job.streams.at(name).of_rows(np.flatnonzero(observed))
                data[observed] = self.column(values.numbers[observed], streams)
            masked[name] = values.with_data(data)
        return Outcome(masked)


@dataclass(frozen=True, kw_only=True)
class MatrixMethod(Mask):
    """A mask that needs all columns together, without gaps."""

    passes: ClassVar[Passes] = "sums"

    def matrix(self, X: Matrix, job: Job) -> Matrix:
        """The masked matrix."""
        raise TypeError(f"{type(self).__name__} must implement matrix()")

    def run(self, table: Table, job: Job) -> Outcome:
        """Mask the matrix of all columns."""
        return Outcome(split_columns(self.matrix(table.matrix(), job), table))
