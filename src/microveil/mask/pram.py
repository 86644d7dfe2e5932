"""PRAM: categories changed at random with known probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from microveil.core.arrays import Codes, Floats, Matrix
from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.core.parameters import Range, nearest
from microveil.core.streams import Streams
from microveil.data.microdata import AnyData, Microdata
from microveil.data.table import Table, Values
from microveil.kernels.summaries.counts import Counts
from microveil.mask.base import RowWise
from microveil.mask.crossed import Crossed
from microveil.mask.pram_matrix import Pattern, base_matrix, checked_matrix, forbid, pairs_of
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, depends

Matrices = Mapping[str, tuple[tuple[float, ...], ...]]
Forbidden = Mapping[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, kw_only=True)
class Pram(RowWise, name="pram"):
    """Change each category at random by a transition matrix that may be published.

    Use it on categorical keys: nobody knows which values are true, and frequencies can be estimated back
    without bias (`estimate_frequencies`). Own matrices list their rows in the order of the levels. `by=`
    uses the frequencies of each stratum; `joint` treats all columns as one, so that combinations that do
    not occur never appear. Missing cells stay.
    """

    stay: Annotated[float, Range(ge=0, le=1, grid=(0.6, 0.9)), "probability of keeping the category"] = 0.8
    pattern: Annotated[Pattern, "how the other categories share the rest"] = "uniform"
    matrix: Annotated[Matrices | None, "own transition matrix per column"] = None
    forbidden: Annotated[Forbidden | None, "per column: pairs (from, to) that never happen"] = None
    joint: Annotated[bool, "treat the columns together as one"] = False

    kinds: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    passes: ClassVar[Passes] = "counts"
    columns_apart: ClassVar[bool] = depends(True, lambda mask: not mask.joint)
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    reference = "Gouweleeuw, Kooiman, Willenborg & de Wolf 1998"

    def validate(self) -> None:
        """Crossed columns have no matrices or pairs of their own."""
        if self.joint and (self.matrix or self.forbidden or self.pattern == "block"):
            raise BadInput(
                "joint=True takes no matrix, forbidden pairs or pattern='block': these belong to single columns"
            )

    def transition(self, name: str, values: Values) -> Matrix:
        """The matrix for a column: row = old level, column = new level."""
        return self._matrix(name, values, level_counts(values))

    def _matrix(self, name: str, values: Values, counts: Floats) -> Matrix:
        levels = values.levels or ()
        if self.matrix and name in self.matrix:
            P = checked_matrix(self.matrix[name], levels, name)
        else:
            P = base_matrix(self.pattern, self.stay, counts, parents_of(values))
        return forbid(P, pairs_of(self.forbidden, name, levels))

    def expected_unchanged(self, name: str, before: Values) -> float | None:
        """The cells that the matrix keeps; columns crossed with others stay more often still."""
        return None if self.joint else share_that_stays(self.transition(name, before), before)

    def transitions(self, data: AnyData, columns: Sequence[str]) -> dict[str, tuple[tuple[Cell, ...], Matrix]]:
        """Levels and matrix of each column: what may be published for correct estimates."""
        table = Microdata.of(data).table(columns)
        return {name: (values.levels or (), self.transition(name, values)) for name, values in table.columns.items()}

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


def draw(codes: Codes, P: Matrix, uniforms: Floats) -> Codes:
    """New codes by the rows of P; missing ones stay."""
    order = np.argsort(codes, kind="stable")
    present, first = np.unique(codes[order], return_index=True)
    out = codes.copy()
    for code, rows in zip(present.tolist(), np.split(order, first[1:]), strict=True):
        if code >= 0:
            possible = np.flatnonzero(P[code] > 0)
            steps = np.cumsum(P[code, possible])
            # the last possible level takes what rounding leaves: an impossible one is never drawn
            place = np.searchsorted(steps[:-1], uniforms[rows] * steps[-1], "right")
            out[rows] = possible[place]
    return out


def share_that_stays(P: Matrix, values: Values) -> float:
    """The share of observed cells that keep their level on average."""
    counts = level_counts(values)
    return float(counts @ np.diag(P) / max(counts.sum(), 1.0))


def level_counts(values: Values) -> Floats:
    """How often each level occurs."""
    return Counts.of(values.data, len(values.levels or ())).counts.astype(np.float64)


def parents_of(values: Values) -> list[Any] | None:
    """The nearest generalisation of each level, where the column has a hierarchy."""
    if not values.hierarchy:
        return None
    return [(values.hierarchy.get(level) or (level,))[0] for level in values.levels or ()]


def check_column_names(table: Table, **given: Mapping[str, Any] | None) -> None:
    """Parameters given per column must name columns acted on."""
    for what, mapping in given.items():
        for name in mapping or ():
            if name not in table.names:
                raise BadInput(
                    f"{what} names {name!r}, not among the columns to protect {list(table.names)}"
                    f"{nearest(name, table.names)}"
                )
