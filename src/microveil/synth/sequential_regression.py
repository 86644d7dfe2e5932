"""Synthesis by a sequence of regressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import AnyArray, Floats
from microveil.core.errors import BadInput
from microveil.core.parameters import Example, Grid, OfColumns, Range
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.synth.column_drawing import Scale
from microveil.synth.design import Design, RankScale
from microveil.synth.row_draws import Draws
from microveil.synth.sequential import SequentialSynthesiser

Model = Literal["normal", "logistic", "multinomial", "ordinal", "count", "semicontinuous"]

_BLOCK = 1 << 14  # records drawn at a time
_NO_DISPERSION = 1e-9  # up to which counts are Poisson's
_LARGEST_MEAN = 1e15  # of counts
_ZEROS = 0.1  # share of zeros from which on a continuous column is taken as semicontinuous


@dataclass(frozen=True, kw_only=True)
class SequentialRegression(SequentialSynthesiser, name="sequential-regression"):
    """Draw each column from a regression on the columns drawn before.

    Use it when relations are regular enough for regressions: it smooths where trees copy. Continuous columns:
    normal (on the scale of normal scores by default, so that skewed and tied columns keep their shape), count or
    semicontinuous (zero or not, then the amount); two categories: logistic, more: multinomial, ordered: cumulative
    logit. `proper` draws the parameters from their posterior, which valid inference from several files needs. The
    first column is drawn by Bayesian bootstrap.
    """

    models: Annotated[
        Mapping[str, Model],
        OfColumns("keys"),
        Example({"children": "count"}),
        "model of a column: normal, logistic, multinomial, ordinal, count or semicontinuous",
    ] = field(default_factory=dict)
    scale: Annotated[
        Literal["ranks", "values"],
        Grid(("ranks", "values")),
        "model continuous columns by normal scores or as they are",
    ] = "ranks"
    proper: Annotated[bool, Grid((True, False)), "draw the parameters from their posterior"] = True
    powers: Annotated[int, Range(ge=1, le=3, grid=(1, 2)), "highest power of a continuous predictor"] = 2
    products: Annotated[bool, Grid((False, True)), "products of pairs of predictors as further terms"] = False

    most_levels: Annotated[int, Range(ge=2, grid=(60,)), "most categories of a column"] = 60

    depends_on_processor: ClassVar[bool] = True
    reference = "Raghunathan, Lepkowski, Van Hoewyk & Solenberger 2001"

    def fit(self, name: str, y: Values, X: Table, generator: np.random.Generator) -> RegressionFit:
        """The model of a column; without predictors a Bayesian bootstrap."""
        for column, values in {**X.columns, name: y}.items():
            if len(values.levels or ()) > self.most_levels:
                raise BadInput(
                    f"{column!r} has {len(values.levels or ())} categories and {self.most_levels} are allowed "
                    "(most_levels): leave it out, merge categories or use Cart"
                )
        if not X.names:
            return RegressionFit(None, _bootstrap(y, generator, self.proper))
        design = Design(X, self.powers, self.products)
        W = design.matrix(X)
        model = self._model(name, y)
        if model == "normal":
            return RegressionFit(design, self._normal(W, y.numbers, generator))
        if model == "count":
            return RegressionFit(design, self._count(name, W, y.numbers, generator))
        if model == "semicontinuous":
            return RegressionFit(design, self._semicontinuous(W, y.numbers, generator))
        return RegressionFit(design, self._categories(W, y, generator, ordered=model == "ordinal"))

    def predictor_scale(self, old: Values) -> Scale | None:
        """Continuous predictors by their normal scores among the original values."""
        if self.scale == "values" or old.levels is not None or old.missing.all():
            return None
        ranks = RankScale.of(old.numbers)
        return lambda values: values.with_data(ranks.scores(values.numbers))

    def _model(self, name: str, y: Values) -> str:
        numeric = ("normal", "count", "semicontinuous")
        wanted = self.models.get(name) if y.levels != (False, True) else None
        if y.levels is None:
            if wanted is not None and wanted not in numeric:
                raise BadInput(f"models[{name!r}]={wanted!r} is for categories and the column is continuous")
            zeros = float((y.data == 0).mean())
            semicontinuous = self.scale == "values" and _ZEROS <= zeros < 1
            return wanted or ("semicontinuous" if semicontinuous else "normal")
        if wanted in numeric:
            raise BadInput(f"models[{name!r}]={wanted!r} is for numbers and the column is {y.kind}")
        if wanted == "logistic" and len(np.unique(y.data)) > 2:
            raise BadInput(f"models[{name!r}]='logistic' is for two categories: {len(np.unique(y.data))} occur")
        # a missing category has no place in an order
        ordered = y.kind == "ordinal" and not y.missing.any()
        return wanted or ("ordinal" if ordered else "multinomial")

    def _order(self, table: Table) -> tuple[str, ...]:
        check_names(tuple(self.models), list(table.names), "models")
        return super()._order(table)

    # -- models: each returns how to draw values from a design ------------------------------------

    def _normal(self, W: Floats, y: Floats, generator: np.random.Generator) -> Draw:
        from microveil.kernels.regression.models import draw_normal_model

        ranks = RankScale.of(y) if self.scale == "ranks" else None
        centre, spread = float(y.mean()), float(y.std())
        response = ranks.scores(y) if ranks is not None else (y - centre) / spread
        found = draw_normal_model(W, response, generator, self.proper)

        def draw(W: Floats, draws: Draws) -> Floats:
            z = draws.product(W, found.coefficients) + found.deviation * draws.normals(len(W))
            return ranks.values(z) if ranks is not None else np.asarray(centre + spread * z)

        return draw

    def _count(self, name: str, W: Floats, y: Floats, generator: np.random.Generator) -> Draw:
        from microveil.kernels.regression.models import count_means, draw_count_model

        if (y < 0).any() or (y != np.rint(y)).any():
            raise BadInput(f"models[{name!r}]='count' needs whole numbers from 0 up")
        found = draw_count_model(W, y, generator, self.proper)

        def draw(W: Floats, draws: Draws) -> Floats:
            m = count_means(draws.product(W, found.coefficients))
            if found.dispersion > _NO_DISPERSION:
                m = m * draws.at("spread").gammas(1 / found.dispersion, found.dispersion, len(m))
            return draws.at("count").poissons(np.minimum(m, _LARGEST_MEAN))

        return draw

    def _semicontinuous(self, W: Floats, y: Floats, generator: np.random.Generator) -> Draw:
        zero = y == 0
        if not zero.any() or zero.all():
            return self._normal(W, y, generator)
        amounts = y[~zero]
        one = amounts.min() == amounts.max()
        amount = _always(float(amounts[0])) if one else self._normal(W[~zero], amounts, generator)
        kinds = Values("nominal", (~zero).astype(np.int64), (False, True))
        which = self._categories(W, kinds, generator, ordered=False)

        def draw(W: Floats, draws: Draws) -> Floats:
            rows = np.flatnonzero(which(W, draws.at("zero")) == 1)
            out = np.zeros(len(W))
            out[rows] = amount(W[rows], draws.of_rows(rows))
            return out

        return draw

    def _categories(self, W: Floats, y: Values, generator: np.random.Generator, ordered: bool) -> Draw:
        from microveil.kernels.regression import models as synth_regression
        from microveil.kernels.regression import ordinal as synth_ordinal

        present, codes = np.unique(y.data, return_inverse=True)
        if ordered and len(present) > 2:
            cut = synth_ordinal.draw_ordinal_model(W, codes, len(present), generator, self.proper)

            def draw_ordered(W: Floats, draws: Draws) -> AnyArray:
                eta = draws.product(W, cut.coefficients)
                return present[synth_ordinal.draw_ordinal(eta, cut.thresholds, draws.uniforms(len(W)))]

            return draw_ordered
        # the most frequent category is the one others are compared with
        rank = np.argsort(-np.bincount(codes), kind="stable")
        place = np.argsort(rank)
        found = synth_regression.draw_multinomial_model(W, place[codes], len(present), generator, self.proper)

        def draw(W: Floats, draws: Draws) -> AnyArray:
            eta = draws.product(W, found)
            return present[rank[synth_regression.draw_multinomial(eta, draws.uniforms(len(W)))]]

        return draw


Draw = Callable[[Floats, Draws], AnyArray]


@dataclass
class RegressionFit:
    """A fitted regression: a design for new records and how to draw from it."""

    design: Design | None
    from_design: Draw
    notes: list[str] = field(default_factory=list)

    def draw(self, X: Table, draws: Draws) -> AnyArray:
        """One value per record."""
        if self.design is None:
            return self.from_design(np.ones((X.rows, 1)), draws)
        # in blocks: the design is wider than the data
        blocks = [np.arange(first, min(first + _BLOCK, X.rows)) for first in range(0, X.rows, _BLOCK)]
        parts = [self.from_design(self.design.matrix(X.take(rows)), draws.of_rows(rows)) for rows in blocks]
        return np.concatenate(parts) if parts else self.from_design(self.design.matrix(X), draws)


def _always(value: float) -> Draw:
    return lambda W, _: np.full(len(W), value)


def _bootstrap(y: Values, generator: np.random.Generator, proper: bool) -> Draw:
    """Draws from the observed values with (Bayesian) bootstrap weights, interpolated where they are numbers."""
    weights = generator.standard_exponential(len(y.data)) if proper else np.ones(len(y.data))
    order = np.argsort(y.data, kind="stable")
    ordered, weights = y.data[order], weights[order]
    edges = np.cumsum(weights)
    total, middle, categories = edges[-1], edges - weights / 2, y.levels is not None

    def draw(W: Floats, draws: Draws) -> AnyArray:
        u = draws.uniforms(len(W)) * total
        if not categories:
            return np.asarray(np.interp(u, middle, ordered))
        return np.asarray(ordered[np.minimum(np.searchsorted(edges, u, side="right"), len(ordered) - 1)])

    return draw
