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
from microveil.mask.base import Mask
from microveil.mask.pram_matrix import Pattern, base_matrix, checked_matrix, forbid, pairs_of
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, depends

Matrices = Mapping[str, tuple[tuple[float, ...], ...]]
Forbidden = Mapping[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, kw_only=True)
class Pram(Mask, name="pram"):
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
        levels = values.levels or ()
        if self.matrix and name in self.matrix:
            P = checked_matrix(self.matrix[name], levels, name)
        else:
            P = base_matrix(self.pattern, self.stay, level_counts(values), parents_of(values))
        return forbid(P, pairs_of(self.forbidden, name, levels))

    def expected_unchanged(self, name: str, before: Values) -> float | None:
        """The cells that the matrix keeps; columns crossed with others stay more often still."""
        return None if self.joint else share_that_stays(self.transition(name, before), before)

    def transitions(self, data: AnyData, columns: Sequence[str]) -> dict[str, tuple[tuple[Cell, ...], Matrix]]:
        """Levels and matrix of each column: what may be published for correct estimates."""
        table = Microdata.of(data).table(columns)
        return {name: (values.levels or (), self.transition(name, values)) for name, values in table.columns.items()}

    def run(self, table: Table, job: Job) -> Outcome:
        """Draw new categories by record position."""
        check_column_names(table, matrix=self.matrix, forbidden=self.forbidden)
        if self.joint:
            crossed, decode = cross(table)
            return Outcome(decode(self._changed("joint", crossed, job.streams.at("joint"), job.chunk_rows)))
        return Outcome(
            {
                name: values.with_data(self._changed(name, values, job.streams.at(name), job.chunk_rows))
                for name, values in table.columns.items()
            }
        )

    def _changed(self, name: str, values: Values, streams: Streams, chunk_rows: int) -> Codes:
        P = self.transition(name, values)
        codes = np.empty_like(values.data)
        for start in range(0, len(codes), chunk_rows):
            stop = min(start + chunk_rows, len(codes))
            codes[start:stop] = draw(values.data[start:stop], P, streams.uniforms(start, stop)[:, 0])
        return codes


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
    observed = values.data[values.data >= 0]
    return np.bincount(observed, minlength=len(values.levels or ())).astype(np.float64)


def parents_of(values: Values) -> list[Any] | None:
    """The nearest generalisation of each level, where the column has a hierarchy."""
    if not values.hierarchy:
        return None
    return [(values.hierarchy.get(level) or (level,))[0] for level in values.levels or ()]


def cross(table: Table) -> tuple[Values, Any]:
    """All columns as one whose levels are the combinations that occur, and the way back."""
    from microveil.kernels.tables.classes import group_rows

    codes = table.codes()
    complete = (codes >= 0).all(axis=1)
    labels, sizes = group_rows(codes[complete])
    rows = np.empty((len(sizes), codes.shape[1]), dtype=np.int64)
    rows[labels] = codes[complete]
    data = np.full(len(codes), -1, dtype=np.int64)
    data[complete] = labels

    def decode(changed: Codes) -> dict[str, Values]:
        new = np.where((changed >= 0)[:, None], rows[np.maximum(changed, 0)], codes) if len(rows) else codes
        return {name: values.with_data(new[:, j].copy()) for j, (name, values) in enumerate(table.columns.items())}

    return Values("nominal", data, tuple(map(tuple, rows.tolist()))), decode


def check_column_names(table: Table, **given: Mapping[str, Any] | None) -> None:
    """Parameters given per column must name columns acted on."""
    for what, mapping in given.items():
        for name in mapping or ():
            if name not in table.names:
                raise BadInput(
                    f"{what} names {name!r}, not among the columns to protect {list(table.names)}"
                    f"{nearest(name, table.names)}"
                )
