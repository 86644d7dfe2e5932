"""Synthesis by classification and regression trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import AnyArray, Floats, Ints
from microveil.core.parameters import Grid, Range, Safer
from microveil.data.table import Table, Values
from microveil.synth.row_draws import Draws
from microveil.synth.sequential import SequentialSynthesiser

if TYPE_CHECKING:
    from microveil.kernels.regression.trees import Predictors, Tree

Donors = Literal["bayesian bootstrap", "bootstrap"]

_FREQUENT = 0.01  # share of records from which on a value is a point of its own, such as zero


@dataclass(frozen=True, kw_only=True)
class Cart(SequentialSynthesiser, name="cart"):
    """Draw each column from the leaves of a tree grown on the columns drawn before.

    Use it for mixed data whose relations no formula describes. A new record falls into a leaf of the tree and takes the
    value of a donor there. With `smooth`, continuous values are drawn around the donor's, inside the range of its
    leaf, unless the value is a frequent one; otherwise every value is an observed one. Missing values are drawn
    as well, except in partial synthesis, where gaps stay.
    """

    min_leaf: Annotated[int, Range(ge=2, grid=(5, 20)), Safer("twice"), "fewest records in a leaf"] = 5
    complexity: Annotated[
        float, Range(ge=0, lt=1, grid=(1e-8, 1e-3)), "least part of the impurity that a split must remove"
    ] = 1e-8
    smooth: Annotated[bool, Grid((True, False)), "draw continuous values around those of the donors"] = True
    donors: Annotated[
        Donors, Grid(("bayesian bootstrap", "bootstrap")), "how donors are drawn: with random weights or equal ones"
    ] = "bayesian bootstrap"

    # cuts are chosen by sums whose last bit, and densities by functions whose last bit, follow the processor
    depends_on_processor: ClassVar[bool] = True
    reference = "Reiter 2005"

    def fit(self, name: str, y: Values, X: Table, generator: np.random.Generator) -> TreeFit:
        """A tree of the column on its predictors; without any, all records are one leaf."""
        from microveil.kernels.regression.trees import grow_tree

        classes = 0 if y.levels is None else len(y.levels) + 1
        # a missing category is a category of its own
        response = y.numbers if classes == 0 else (y.data + 1).astype(np.float64)
        tree, leaves = grow_tree(tree_predictors(X), response, classes, self.min_leaf, self.complexity)
        even = self.donors == "bootstrap"
        weights = np.ones(len(leaves)) if even else generator.standard_exponential(len(leaves))
        fit = TreeFit(tree, leaves, y.data, weights, smooth=self.smooth and y.levels is None)
        if y.levels is None and (share := fit.share_of_single_values()) > 0 and X.names:
            fit.notes.append(f"{100 * share:.2g} % of the records of {name!r} are in leaves with one distinct value")
        return fit


@dataclass
class TreeFit:
    """A grown tree with its donors in the order of their leaves."""

    tree: Tree
    leaves: Ints
    values: AnyArray
    weights: Floats
    smooth: bool
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        order = np.argsort(self.leaves, kind="stable")
        counts = np.bincount(self.leaves, minlength=len(self.tree.feature))
        self._ends = np.cumsum(counts)
        self._starts = self._ends - counts
        self._donors = self.values[order]
        self._cumulated = np.concatenate([[0.0], np.cumsum(self.weights[order])])
        if self.smooth:
            self._prepare_smoothing(counts)

    def draw(self, X: Table, draws: Draws) -> AnyArray:
        """The value of a donor of the leaf of each record, smoothed if asked for."""
        from microveil.kernels.regression.trees import find_leaves

        leaf = find_leaves(self.tree, tree_predictors(X))
        start, end = self._starts[leaf], self._ends[leaf]
        low, high = self._cumulated[start], self._cumulated[end]
        place = np.searchsorted(self._cumulated, low + draws.uniforms(X.rows) * (high - low), side="right") - 1
        place = np.clip(place, start, end - 1)
        drawn = self._donors[place]
        return self._smoothed(drawn, leaf, place, draws.at("around")) if self.smooth else drawn

    def share_of_single_values(self) -> float:
        """Share of the records in leaves where all values are equal."""
        filled = self._ends > self._starts
        low = np.minimum.reduceat(self._donors, self._starts[filled])
        high = np.maximum.reduceat(self._donors, self._starts[filled])
        return float((self._ends - self._starts)[filled][low == high].sum() / len(self.values))

    def _prepare_smoothing(self, counts: Ints) -> None:
        filled = np.flatnonzero(counts)
        starts, sizes = self._starts[filled], counts[filled]
        leaf = np.repeat(np.arange(len(filled)), sizes)
        # by number among the filled leaves from here on
        self._number = np.cumsum(counts > 0) - 1
        mean = np.add.reduceat(self._donors, starts) / sizes
        spread = np.sqrt(np.add.reduceat((self._donors - mean[leaf]) ** 2, starts) / sizes)
        ordered = self._donors[np.lexsort((self._donors, leaf))]
        self._low, self._high = ordered[starts], ordered[starts + sizes - 1]
        quartiles = ordered[starts + (3 * sizes) // 4] - ordered[starts + sizes // 4]
        # the normal reference rule of Silverman 1986, with the range of the middle half where it is narrower
        width = np.minimum(spread, np.where(quartiles > 0, quartiles / 1.34, spread)) * (4 / (3 * sizes)) ** 0.2
        relative = np.divide(width, spread, out=np.zeros(len(width)), where=spread > 0)
        # shrunk towards the mean of the leaf, so that the noise does not widen it
        self._mean, self._shrink = mean, 1.0 / np.sqrt(1.0 + relative**2)
        self._width = width * self._shrink
        _, inverse, times = np.unique(self._donors, return_inverse=True, return_counts=True)
        frequent = times >= max(2.0, _FREQUENT * len(self.values))
        self._exact = frequent[inverse] | (self._width[leaf] == 0)

    def _smoothed(self, drawn: Floats, leaf: Ints, place: Ints, draws: Draws) -> Floats:
        """A normal draw about the donor's value, truncated to the range of the leaf."""
        from scipy.special import ndtr, ndtri

        moving = np.flatnonzero(~self._exact[place])
        at = self._number[leaf[moving]]
        value = self._mean[at] + (drawn[moving] - self._mean[at]) * self._shrink[at]
        width, low, high = self._width[at], self._low[at], self._high[at]
        below, above = ndtr((low - value) / width), ndtr((high - value) / width)
        u = below + draws.of_rows(moving).uniforms(len(value)) * (above - below)
        out = drawn.copy()
        out[moving] = np.clip(value + width * ndtri(u), low, high)
        return out


def tree_predictors(X: Table) -> Predictors:
    """The predictors as a tree takes them: missing numbers below all others, missing categories as one of their own."""
    from microveil.kernels.regression.trees import Predictors

    numbers = [values for values in X.columns.values() if values.levels is None]
    categories = [values for values in X.columns.values() if values.levels is not None]
    x = np.empty((len(numbers), X.rows))
    for j, values in enumerate(numbers):
        x[j] = values.data
    x[np.isnan(x)] = -np.inf
    codes = np.empty((len(categories), X.rows), dtype=np.int32)
    for j, values in enumerate(categories):
        codes[j] = values.data + 1
    return Predictors(x, codes, np.array([len(v.levels or ()) + 1 for v in categories], dtype=np.int64))
