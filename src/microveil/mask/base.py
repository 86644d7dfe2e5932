"""Bases of masking methods: by record, by column, by the whole matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from microveil.core.arrays import Ints, Matrix, Vector
from microveil.core.families import Family
from microveil.core.streams import Streams
from microveil.core.threads import on_all_cores
from microveil.data.matrices import split_columns
from microveil.data.table import Table, Values
from microveil.run.afar import Afar, Rows
from microveil.run.by_order import ByOrder
from microveil.run.by_rows import ByRows, ByRowsAfar
from microveil.run.contract import Passes
from microveil.run.method import Job, Method, Outcome
from microveil.run.method import depends as depends

MASK = Family("mask", title="Masking methods", order=20)


@dataclass(frozen=True, kw_only=True)
class Mask(Method, family=MASK):
    """Base of all masking methods."""

    form: ClassVar[str] = ""  # which matrix form Z = AXB + C it has: average, swap, noise or sample

    def run_in_groups(self, table: Table, job: Job, labels: Ints) -> Outcome | None:
        """Every group masked by itself, all in one pass, with the promises of the mask in each; None: one by one.

        Labels number the groups from 0. A mask that can do so is many times faster in many small groups.
        """
        return None


@dataclass(frozen=True, kw_only=True)
class RowWise(ByRows, Mask):
    """A mask that learns what it must know of all records (`learn`) and then acts on each by itself (`act`)."""


@dataclass(frozen=True, kw_only=True)
class RowMask(RowWise):
    """A mask of single columns that looks at a column once (`prepare`) and then at one record at a time (`rows`)."""

    passes: ClassVar[Passes] = "row"
    columns_apart: ClassVar[bool] = True
    skips_missing: ClassVar[bool] = True
    # `prepare` is given whole columns, which a file larger than memory does not have
    gathers: ClassVar[bool] = depends(False, lambda mask: type(mask).prepare is RowMask.prepare)

    def prepare(self, x: Vector) -> object:
        """What the mask needs to know about the whole column (observed values)."""
        return None

    def rows(self, x: Vector, known: object, draws: Draws | DrawsInGroups) -> Vector:
        """The masked values of some records of one column."""
        raise TypeError(f"{type(self).__name__} must implement rows()")

    def learn(self, table: Table, job: Job) -> Mapping[str, Any]:
        """What `prepare` says of every column."""
        return {name: self.prepare(values.numbers[~values.missing]) for name, values in table.columns.items()}

    def act(self, table: Table, job: Job, known: Any) -> Outcome:
        """Mask some records of every column."""
        return Outcome(
            {name: self._masked(values, known[name], job.streams.at(name)) for name, values in table.columns.items()}
        )

    def rows_in_groups(
        self, table: Table, job: Job, labels: Ints, known: Callable[[Vector], Vector | None]
    ) -> Outcome | None:
        """All groups in one pass, by what is known of each record's group; one by one beside gaps."""
        if any(values.missing.any() for values in table.columns.values()):
            return None
        clusters = job.streams.at("cluster")
        return Outcome(
            {
                name: values.with_data(self.rows(x, known(x), DrawsInGroups(clusters, labels, name)))
                for name, values in table.columns.items()
                for x in (values.numbers,)
            }
        )

    def _masked(self, values: Values, known: Any, streams: Streams) -> Values:
        x = values.numbers
        out = np.array(self.rows(x, known, Draws(streams, len(x))), dtype=np.float64)
        out[values.missing] = np.nan
        return values.with_data(out)


@dataclass(frozen=True)
class Draws:
    """Random numbers for some records: one per record from the column's own stream."""

    streams: Streams
    records: int

    def uniform(self, purpose: str = "") -> Vector:
        """One uniform number in (0, 1) per record."""
        return self._stream(purpose).uniforms(0, self.records)[:, 0]

    def normal(self, purpose: str = "") -> Vector:
        """One standard normal number per record."""
        return self._stream(purpose).normals(0, self.records)[:, 0]

    def _stream(self, purpose: str) -> Streams:
        return self.streams.at(purpose) if purpose else self.streams


@dataclass(frozen=True)
class DrawsInGroups:
    """Random numbers for all records: each has the one that its group would draw for it by itself."""

    clusters: Streams
    labels: Ints
    column: str

    def uniform(self, purpose: str = "") -> Vector:
        """One uniform number in (0, 1) per record."""
        below = (self.column, purpose) if purpose else (self.column,)
        return self.clusters.uniforms_in_groups(self.labels, *below)

    def normal(self, purpose: str = "") -> Vector:
        """One standard normal number per record."""
        from scipy.special import ndtri

        return np.asarray(ndtri(self.uniform(purpose)))


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
        done = on_all_cores(lambda name: self._masked(table[name], job.streams.at(name)), table.names, table.rows)
        return Outcome(dict(zip(table.names, done, strict=True)))

    def _masked(self, values: Values, streams: Streams) -> Values:
        observed = ~values.missing
        if observed.all() and len(observed):
            return values.with_data(self.column(values.numbers, streams).astype(values.data.dtype, copy=False))
        data = values.data.copy()
        if observed.any():
            data[observed] = self.column(values.numbers[observed], streams.of_rows(np.flatnonzero(observed)))
        return values.with_data(data)


@dataclass(frozen=True, kw_only=True)
class OrderMask(ByOrder, ColumnMask):
    """A mask of single columns that goes along the order of the values (`along`), of which not all need be at hand."""

    def column(self, x: Vector, streams: Streams) -> Vector:
        """One column without gaps, in its order."""
        return self.in_order(x, streams)

    def run(self, table: Table, job: Job) -> Outcome:
        """Mask the observed cells of every column, and tell of all."""
        return self.tell(ColumnMask.run(self, table, job), table)


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


@dataclass(frozen=True, kw_only=True)
class AfarMatrix(ByRowsAfar, MatrixMethod):
    """A mask of all columns together that can say the same of a matrix of which no more than a block is in memory."""

    def afar(self, records: Afar) -> Rows:
        """The rows of the masked matrix; sums over all records are asked for."""
        raise TypeError(f"{type(self).__name__} must implement afar()")

    def learn(self, table: Table, job: Job) -> Rows:
        """How rows are made."""
        return self.afar(Afar(table, job))

    def act(self, table: Table, job: Job, known: Rows) -> Outcome:
        """The rows of some records."""
        return Outcome(split_columns(known(table, job), table))

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Mask the matrix of all columns."""
        return MatrixMethod.run(self, table, job)
