"""Invariant PRAM: frequencies need no correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Claim, ValuesKept
from microveil.core.arrays import Codes, Floats, Matrix
from microveil.core.parameters import Example, OfColumns, Range, Safer, When
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.mask.controlled import controlled_rounding
from microveil.mask.pram_matrix import (
    Pattern,
    base_matrix,
    check_transition,
    direct_invariant_matrix,
    forbid_both_ways,
    invariant_matrix,
    pairs_of,
)
from microveil.mask.transitions import Forbidden, Matrices, TransitionMask, parents_of
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, depends


@dataclass(frozen=True, kw_only=True)
class InvariantPram(TransitionMask, name="invariant-pram"):
    """Change categories at random so that each column's frequencies stay the same on average.

    Use it where users will tabulate without corrections. The matrix is made in two stages from a base
    (`stay`, `pattern`, or an own `matrix`) and damped by `alpha`; `theta` gives equal flows between all
    levels instead. `controlled` chooses the records so that every column has exactly the original's values.
    Forbidden pairs are closed in both directions. Tables of several columns are attenuated.
    """

    stay: Annotated[
        float,
        Range(ge=0, le=1, grid=(0.6, 0.8), search=(0.6, 0.95)),
        Safer("half"),
        "probability of staying in the base matrix",
    ] = 0.8
    alpha: Annotated[float, Range(ge=0, le=1), "weight of the two-stage matrix; the rest stays"] = 0.5
    theta: Annotated[
        float | None, Range(ge=0, le=1), When(matrix=None), "share of the rarest level that moves, instead of a base"
    ] = None
    pattern: Annotated[
        Pattern, When("block", joint=False), "how the other categories share the rest in the base matrix"
    ] = "uniform"
    matrix: Annotated[
        Matrices | None, OfColumns("keys"), Example({"sex": [[0.9, 0.1], [0.2, 0.8]]}), "own base matrix per column"
    ] = None
    forbidden: Annotated[
        Forbidden | None,
        OfColumns("keys"),
        Example({"marital": [["single", "widowed"]]}),
        "per column: pairs of levels between which nothing moves",
    ] = None
    controlled: Annotated[bool, "keep the frequencies exactly, not only on average"] = False

    # who moves is decided in a random order of the records
    passes: ClassVar[Passes] = depends("counts", lambda mask: "order" if mask.controlled else "counts")

    gathers: ClassVar[bool] = depends(True, lambda mask: not mask.controlled)

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Controlled: the frequencies of every column."""
        return (ValuesKept(),) if self.controlled else ()

    def matrix_of(self, name: str, values: Values, counts: Floats) -> Matrix:
        """The invariant matrix for a column whose levels occur so often: row = old level, column = new level."""
        levels = values.levels or ()
        if self.theta is not None:
            R = direct_invariant_matrix(self.theta, counts)
        else:
            own = self.matrix is not None and name in self.matrix
            P = (
                check_transition(self.matrix[name], levels, name)  # type: ignore[index]
                if own
                else base_matrix(self.pattern, self.stay, counts, parents_of(values))
            )
            R = invariant_matrix(P, counts, self.alpha)
        return forbid_both_ways(R, counts, pairs_of(self.forbidden, name, levels))

    def run(self, table: Table, job: Job) -> Outcome:
        """Draw new categories, by record position or under control of the totals."""
        if not self.controlled:
            return super().run(table, job)
        crossed, matrices = self.learn(table, job)
        if crossed is not None:
            codes = draw_controlled(crossed.column(table).data, matrices["joint"], job.streams.at("joint"))
            return Outcome(crossed.apart(codes, table))
        return Outcome(
            {
                name: values.with_data(draw_controlled(values.data, matrices[name], job.streams.at(name)))
                for name, values in table.columns.items()
            }
        )


def draw_controlled(codes: Codes, R: Matrix, streams: Streams) -> Codes:
    """New codes whose frequencies are exactly the old ones; who moves is drawn at random."""
    counts = np.bincount(codes[codes >= 0], minlength=len(R)).astype(np.float64)
    moves = controlled_rounding(counts[:, None] * R, streams.at("moves").generator())
    out, order = codes.copy(), streams.order(len(codes))
    for code in range(len(R)):
        members = order[codes[order] == code]
        out[members] = np.repeat(np.arange(len(R)), moves[code])
    return out
