"""What masks that change categories by a transition matrix have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from microveil.core.arrays import Codes, Floats, Matrix
from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.core.parameters import Example, OfColumns, Range, Safer, When, nearest
from microveil.core.streams import Streams
from microveil.data.microdata import AnyData, Microdata
from microveil.data.table import Table, Values
from microveil.kernels.summaries.counts import Counts
from microveil.kernels.summaries.together import Together
from microveil.mask.base import RowWise
from microveil.mask.crossed import Crossed
from microveil.mask.pram_matrix import Pattern
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome

Matrices = Mapping[str, tuple[tuple[float, ...], ...]]
Forbidden = Mapping[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, kw_only=True)
class TransitionMask(RowWise):
    """Base of masks that draw a new category from the row of a matrix that the old one has.

    A mask states its matrix for a column whose levels occur so often (`matrix_of`).
    """

    stay: Annotated[
        float,
        Range(ge=0, le=1, grid=(0.6, 0.9), search=(0.6, 0.95)),
        Safer("half"),
        "probability of keeping the category",
    ] = 0.8
    pattern: Annotated[Pattern, When("block", joint=False), "how the other categories share the rest"] = "uniform"
    matrix: Annotated[
        Matrices | None,
        OfColumns("keys"),
        Example({"sex": [[0.9, 0.1], [0.2, 0.8]]}),
        "own transition matrix per column",
    ] = None
    forbidden: Annotated[
        Forbidden | None,
        OfColumns("keys"),
        Example({"marital": [["single", "widowed"]]}),
        "per column: pairs (from, to) that never happen",
    ] = None
    joint: Annotated[bool, When(matrix=None, forbidden=None), "treat the columns together as one"] = False

    passes: ClassVar[Passes] = "counts"
    kinds: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    attacks: ClassVar[tuple[str, ...]] = ("pram-posterior",)
    reference = "Gouweleeuw, Kooiman, Willenborg & de Wolf 1998"

    def matrix_of(self, name: str, values: Values, counts: Floats) -> Matrix:
        """The matrix for a column whose levels occur so often: row = old level, column = new level."""
        raise TypeError(f"{type(self).__name__} must implement matrix_of()")

    def transition(self, name: str, values: Values) -> Matrix:
        """The matrix for a column: row = old level, column = new level."""
        return self.matrix_of(name, values, level_counts(values))

    def learn(self, table: Table, job: Job) -> tuple[Crossed | None, Mapping[str, Matrix]]:
        """The matrix of each column, or the combinations that occur and the matrix of these."""
        check_column_names(table, matrix=self.matrix, forbidden=self.forbidden)
        if self.joint:
            crossed = Crossed.gather(table, job)
            levels = crossed.column(table.take(slice(0, 0)))
            return crossed, {"joint": self.matrix_of("joint", levels, crossed.found.counts.astype(np.float64))}
        levels_of = {name: len(values.levels or ()) for name, values in table.columns.items()}
        found = job.engine.gather(
            table,
            job,
            lambda block, _: Together({name: Counts.of(block[name].data, levels_of[name]) for name in block.names}),
        ).parts
        return None, {
            name: self.matrix_of(name, table[name], found[name].counts.astype(np.float64)) for name in table.names
        }

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

    def expected_unchanged(self, name: str, before: Values) -> float | None:
        """The cells that the matrix keeps; columns crossed with others stay more often still."""
        return None if self.joint else share_that_stays(self.transition(name, before), before)

    def transitions(self, data: AnyData, columns: Sequence[str]) -> dict[str, tuple[tuple[Cell, ...], Matrix]]:
        """Levels and matrix of each column, for correct estimates.

        Publish them only where the matrix does not follow from the original frequencies.
        """
        table = Microdata.of(data).table(columns)
        return {name: (values.levels or (), self.transition(name, values)) for name, values in table.columns.items()}


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


def check_column_names(table: Table, **given: Mapping[str, object] | None) -> None:
    """Parameters given per column must name columns acted on."""
    for what, mapping in given.items():
        for name in mapping or ():
            if name not in table.names:
                raise BadInput(
                    f"{what} names {name!r}, not among the columns to protect {list(table.names)}"
                    f"{nearest(name, table.names)}"
                )
