"""What masks that change categories by a transition matrix have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from microveil.core.arrays import Codes, Floats, Matrix
from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.core.parameters import Example, Range, Safer, When, nearest
from microveil.data.microdata import AnyData, Microdata
from microveil.data.table import Table, Values
from microveil.kernels.summaries.counts import Counts
from microveil.mask.base import Mask
from microveil.mask.pram_matrix import Pattern
from microveil.run.contract import Passes

Matrices = Mapping[str, tuple[tuple[float, ...], ...]]
Forbidden = Mapping[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, kw_only=True)
class TransitionMask(Mask):
    """Base of masks that draw a new category from the row of a matrix that the old one has.

    A mask states its matrix for a column (`transition`).
    """

    stay: Annotated[
        float,
        Range(ge=0, le=1, grid=(0.6, 0.9), search=(0.6, 0.95)),
        Safer("half"),
        "probability of keeping the category",
    ] = 0.8
    pattern: Annotated[Pattern, When("block", joint=False), "how the other categories share the rest"] = "uniform"
    matrix: Annotated[
        Matrices | None, Example({"sex": [[0.9, 0.1], [0.2, 0.8]]}), "own transition matrix per column"
    ] = None
    forbidden: Annotated[
        Forbidden | None,
        Example({"marital": [["single", "widowed"]]}),
        "per column: pairs (from, to) that never happen",
    ] = None
    joint: Annotated[bool, When(matrix=None, forbidden=None), "treat the columns together as one"] = False

    passes: ClassVar[Passes] = "counts"
    kinds: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    attacks: ClassVar[tuple[str, ...]] = ("pram-posterior",)
    reference = "Gouweleeuw, Kooiman, Willenborg & de Wolf 1998"

    def transition(self, name: str, values: Values) -> Matrix:
        """The matrix for a column: row = old level, column = new level."""
        raise TypeError(f"{type(self).__name__} must implement transition()")

    def expected_unchanged(self, name: str, before: Values) -> float | None:
        """The cells that the matrix keeps; columns crossed with others stay more often still."""
        return None if self.joint else share_that_stays(self.transition(name, before), before)

    def transitions(self, data: AnyData, columns: Sequence[str]) -> dict[str, tuple[tuple[Cell, ...], Matrix]]:
        """Levels and matrix of each column, for correct estimates.

        Publish them only where the matrix does not follow from the original frequencies.
        """
        table = Microdata.of(data).table(columns)
        return {name: (values.levels or (), self.transition(name, values)) for name, values in table.columns.items()}


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
