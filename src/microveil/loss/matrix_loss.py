"""Six matrices, three discrepancies: the table of generic losses for continuous data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.core.words import list_some
from microveil.loss.base import Loss, choose_names
from microveil.loss.components import Components, match_to, principal_components
from microveil.loss.correlations import correlation_of
from microveil.loss.relative import ROUNDING, RelativeChange, ZeroPolicy, drop_rounding
from microveil.measure import Pair
from microveil.measure.in_blocks import PairInBlocks

if TYPE_CHECKING:
    from microveil.kernels.moments.central import CentredMoments

MATRICES = ("X", "V", "R", "RF", "C", "F")
DISCREPANCIES = ("square", "absolute", "variation")


@dataclass(frozen=True, kw_only=True)
class MatrixLoss(Loss, name="matrix-loss"):
    """Discrepancies of data, covariances, correlations, component loadings, communalities and factor scores.

    Parts are named "V square", "V absolute", "V variation" for the mean square error, the mean absolute error and
    the mean relative change of each of X, V, R, RF (attributes with principal components), C (communalities) and
    F (factor score coefficients), with the means (Xbar) and variances (S) as variants. The value is the mean of
    one column of the table. Only the last column is free of units; all are unbounded.
    Reference: Domingo-Ferrer, Mateo-Sanz & Torra 2001, Comparing SDC methods for microdata on the basis of
    information loss and disclosure risk; Mateo-Sanz, Domingo-Ferrer & Sebe 2005, Table 1.
    """

    discrepancy: Annotated[
        Literal["square", "absolute", "variation"],
        Grid(DISCREPANCIES),
        "the column of the table whose mean is the value",
    ] = "variation"
    include_diagonal: Annotated[bool, Grid((False, True)), "whether V includes the variances"] = False
    factors: Annotated[
        Literal["scores", "loadings"], Grid(("scores", "loadings")), "F: score coefficients, or loadings of unit length"
    ] = "scores"
    weights: Annotated[
        Literal["eigenvalue", "share", "one"],
        Grid(("eigenvalue", "share", "one")),
        "weight of component j: its eigenvalue (mean 1, so that the cell is a weighted mean), its share of the "
        "variance, or 1; the source leaves it open",
    ] = "eigenvalue"
    communality: Annotated[int, Range(ge=1, grid=(1, 2)), "how many components the communalities sum over"] = 1
    matching: Annotated[
        Literal["order", "similarity"],
        Grid(("similarity", "order")),
        "components of the two files are paired by similar direction or by their order",
    ] = "similarity"
    zeros: ZeroPolicy = "skip"

    title = "Discrepancies of matrices"
    reference = "Domingo-Ferrer, Mateo-Sanz & Torra 2001"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        linked = pair.link is not None and len(pair.linked_rows[0]) > 0
        X, Y, notes = self.complete_pairs(pair) if linked else self.complete(pair)
        few = self.too_few(X, Y, 2)
        if few:
            return few
        from microveil.kernels.moments.central import centred_moments

        table = _Table(RelativeChange(self.zeros))
        moments = centred_moments(X), centred_moments(Y)
        extra = [] if linked else ["X is left out: nobody knows which rows belong together"]
        if linked:
            spread = np.sqrt(np.diag(moments[0].covariance))
            table.add("X", X, Y, np.broadcast_to(spread, X.shape), rounding=0.0)
        extra += self._fill(table, *moments, tuple(map(str, pair.columns)))
        return self._told(table, (*notes, *extra))

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        begun = self.sums_in_blocks(files, 2)
        if isinstance(begun, NotApplicable):
            return begun
        names, sums = begun
        table = _Table(RelativeChange(self.zeros))
        extra = self._fill(table, *sums.moments(), tuple(map(str, names)))
        left = "X is left out: in blocks the records of the two files are not put side by side"
        return self._told(table, (*sums.notes, left, *extra))

    def _told(self, table: _Table, notes: tuple[str, ...]) -> Measured | NotApplicable:
        """The figure, from the cells that were filled."""
        found = [table.cells[f"{name} {self.discrepancy}"] for name in MATRICES if f"{name} square" in table.cells]
        if not found:
            return self.not_applicable("one column has no correlations, and nobody knows which rows belong together")
        value = float(np.mean(found))
        return self.measured(
            value,
            parts=table.cells,
            reading=f"{_COLUMN[self.discrepancy]} is {format_number(value)} on average over {len(found)} tables of "
            f"statistics.",
            notes=(*notes, *table.relative.notes()),
        )

    def _fill(self, table: _Table, before: CentredMoments, after: CentredMoments, names: tuple[str, ...]) -> list[str]:
        """Fill in all but X."""
        mean, V = before.start + before.shift, before.covariance
        mean_after, V_after = after.start + after.shift, after.covariance
        s = np.sqrt(np.diag(V))
        notes = []
        upper = np.triu_indices(len(s), 0 if self.include_diagonal else 1)
        if len(upper[0]):
            table.add("V", V[upper], V_after[upper], np.outer(s, s)[upper])
        table.add("Xbar", mean, mean_after, s)
        table.add("S", s**2, np.diag(V_after), s**2)
        usable = s > 0
        if not usable.all():
            notes.append(f"constant columns are left out of R, RF, C and F: {list_some(choose_names(names, ~usable))}")
        if usable.sum() >= 2:
            notes += self._fill_correlations(table, V[np.ix_(usable, usable)], V_after[np.ix_(usable, usable)])
        else:
            notes.append("R, RF, C and F need two columns that vary")
        return notes

    def _fill_correlations(self, table: _Table, V: Matrix, V_after: Matrix) -> list[str]:
        R, R_after = correlation_of(V), correlation_of(V_after)
        if np.abs(R - R_after).max() <= ROUNDING:
            # equal up to rounding: directions of equal eigenvalues are arbitrary and must not differ
            R_after = R
        upper = np.triu_indices(len(R), 1)
        table.add("R", R[upper], R_after[upper], np.ones(len(upper[0])))
        before = principal_components(R)
        after = match_to(before, principal_components(R_after), self.matching)
        live = before.eigenvalues > 0
        weights = self._weights(before)[live]
        ones = np.ones((len(R), int(live.sum())))
        table.add("RF", before.loadings[:, live], after.loadings[:, live], ones, weights=weights)
        first = slice(self.communality)
        C, C_after = (_sum_of_squares(found.loadings[:, first]) for found in (before, after))
        table.add("C", C, C_after, np.ones(len(C)))
        F, F_after = (found.scores if self.factors == "scores" else found.vectors for found in (before, after))
        table.add("F", F[:, live], F_after[:, live], ones, weights=weights)
        notes = []
        if not live.all():
            notes.append(f"components without variance are left out of RF and F: {int((~live).sum())}")
        if (np.diag(V_after) == 0).any():
            notes.append("a column is constant in the protected file: its correlations count as 0")
        return notes

    def _weights(self, components: Components) -> Matrix:
        w = components.eigenvalues
        choices: dict[str, Matrix] = {"eigenvalue": w, "share": w / w.sum(), "one": np.ones_like(w)}
        return choices[self.weights]


_COLUMN = {
    "square": "The mean square error",
    "absolute": "The mean absolute error",
    "variation": "The mean relative change (1 = 100 %)",
}


@dataclass
class _Table:
    """The cells filled so far."""

    relative: RelativeChange

    def __post_init__(self) -> None:
        self.cells: dict[str, float] = {}

    def add(
        self,
        name: str,
        before: Matrix,
        after: Matrix,
        scale: Matrix,
        rounding: float = ROUNDING,
        weights: Matrix | float = 1.0,
    ) -> None:
        """The three discrepancies of one matrix."""
        change = drop_rounding(np.abs(before - after), scale, rounding)
        self.cells[f"{name} square"] = float((weights * change**2).mean())
        self.cells[f"{name} absolute"] = float((weights * change).mean())
        self.cells[f"{name} variation"] = self.relative.mean(
            f"cells of {name}", before, after, scale, rounding, weights
        )


def _sum_of_squares(loadings: Matrix) -> Matrix:
    return np.asarray(np.einsum("ij,ij->i", loadings, loadings))
