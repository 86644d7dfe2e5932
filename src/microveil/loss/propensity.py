"""Propensity scores: can a model tell protected records from original ones?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.core.streams import Key, Streams
from microveil.core.words import list_some
from microveil.loss.base import Loss
from microveil.loss.logistic import fit_logistic
from microveil.loss.propensity_terms import Base, base_columns, choose_terms, independent_terms
from microveil.measure import Pair
from microveil.measure.sampling import Sample

Fit = Callable[[Floats], Floats]  # from the labels to the fitted probabilities

_RECORDS_PER_TERM = 20


@dataclass(frozen=True, kw_only=True)
class Propensity(Loss, name="propensity"):
    """Mean squared deviation of fitted membership probabilities from chance (pMSE, U_p).

    Both files are stacked and a model predicts which file a record comes from: 0 when it cannot tell. Use it
    as one figure for all columns and kinds together. Compare it with chance by `ratio to null`: near 1 for
    a file drawn from the right model, well below 1 for a file that copies the original's records. A logistic
    model of order 1 is 0 when all means are kept exactly, of order 2 when all covariances are kept too,
    whatever happened to the rest: order 3 or trees are needed to judge methods that keep moments. `gbm` adds up many
    small trees, which tells files apart by smooth differences that one tree misses.
    Reference: Woo, Reiter, Oganian & Karr 2009, Global measures of data utility for microdata masked for
    disclosure limitation; Snoke et al. 2018, General and specific utility measures for synthetic data.
    """

    model: Annotated[
        Literal["logistic", "cart", "gbm"],
        Grid(("logistic", "cart", "gbm")),
        "the model that tells the files apart: logistic, one tree, or boosted trees",
    ] = "logistic"
    order: Annotated[int, Range(ge=1, le=3, grid=(1, 2, 3)), "highest order of the terms (logistic)"] = 3
    terms: Annotated[
        Literal["polynomial", "interactions", "powers"],
        Grid(("polynomial", "interactions", "powers")),
        "terms up to that order: all monomials; products of different columns; powers of single columns (logistic)",
    ] = "polynomial"
    most_terms: Annotated[
        int, Range(ge=1, grid=(200,)), "kinds of terms that would exceed this, or a term per 20 records, are left out"
    ] = 200
    ridge: Annotated[float, Range(ge=0, grid=(1e-6,)), "penalty on the squared coefficients (logistic)"] = 1e-6
    smallest_leaf: Annotated[int, Range(ge=1, grid=(20,)), "records in the smallest leaf (cart, gbm)"] = 20
    trees: Annotated[int, Range(ge=1, grid=(30,)), "trees that are added up (gbm)"] = 100
    depth: Annotated[int, Range(ge=1, grid=(3,)), "splits from the root of a tree to a leaf at most (gbm)"] = 3
    rate: Annotated[float, Range(gt=0, le=1, grid=(0.1,)), "part of each tree that is added (gbm)"] = 0.1
    null: Annotated[
        Literal["model", "independent", "permutation"],
        Grid(("model", "independent", "permutation")),
        "chance: a file drawn from a model fitted to the original; a second sample of the population; or labels "
        "permuted (always so for cart and gbm)",
    ] = "model"
    permutations: Annotated[int, Range(ge=2, grid=(20,)), "how often labels are permuted"] = 20
    seed: Annotated[int, Range(ge=0), "key of the permutations"] = 1

    kinds = ("continuous", "ordinal", "nominal")
    title = "Propensity score (pMSE)"
    overview_sample = Sample("records", 5_000)
    reference = "Woo et al. 2009; Snoke et al. 2018"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        before, after = pair.tables(pair.columns)
        if min(before.rows, after.rows) < 2:
            return self.not_applicable(f"{before.rows} and {after.rows} records are too few to compare")
        base = base_columns(before, after)
        t = np.repeat([0.0, 1.0], [before.rows, after.rows])
        c = after.rows / len(t)
        if base.values.shape[1] == 0:
            return self._result(np.full(len(t), c), t, 0, None, ("no column varies",))
        fit, terms, notes = self._logistic(base, t) if self.model == "logistic" else self._trees(base)
        p = fit(t)
        chance = self._permuted(fit, t) if self.null == "permutation" or self.model != "logistic" else None
        return self._result(p, t, terms, chance, (*base.notes, *notes))

    # -- models ----------------------------------------------------------------------------------

    def _logistic(self, base: Base, t: Floats) -> tuple[Fit, int, list[str]]:
        most = min(self.most_terms, len(t) // _RECORDS_PER_TERM)
        products, left_out = choose_terms(base, self.terms, self.order, most)
        terms, dropped = independent_terms(base.values, products)
        notes = [f"{terms.count} terms"]
        if left_out:
            notes.append(f"left out to keep to {most} terms: {list_some(left_out)}")
        if dropped:
            notes.append(f"terms that depend linearly on others were dropped: {dropped}")
        if self.order < 3 or not any(len(product) > 2 for product in products):
            notes.append("0 does not mean equal here: files with equal moments up to this order cannot be told apart")

        def fit(labels: Floats) -> Floats:
            found = fit_logistic(terms, labels, self.ridge)
            if labels is t and not found.converged:
                notes.append(f"the fit had not converged after {found.steps} steps: the value is a lower bound")
            if labels is t and found.separated:
                notes.append("the model separates the two files completely")
            return found.probabilities

        return fit, terms.count, notes

    def _trees(self, base: Base) -> tuple[Fit, int, list[str]]:
        try:
            return self._cart(base) if self.model == "cart" else self._boosted(base)
        except ImportError as missing:
            raise BadInput(
                f"model='{self.model}' needs scikit-learn, which is not installed; install microveil[models] or use "
                "model='logistic'"
            ) from missing

    def _cart(self, base: Base) -> tuple[Fit, int, list[str]]:
        from sklearn.tree import DecisionTreeClassifier

        def fit(labels: Floats) -> Floats:
            # ties between equally good splits go to a fixed order of the columns
            tree = DecisionTreeClassifier(min_samples_leaf=self.smallest_leaf, random_state=0)
            tree.fit(base.values, labels)
            return np.asarray(tree.predict_proba(base.values)[:, -1], dtype=np.float64)

        return fit, 0, [f"tree with leaves of at least {self.smallest_leaf} records"]

    def _boosted(self, base: Base) -> tuple[Fit, int, list[str]]:
        from sklearn.ensemble import HistGradientBoostingClassifier

        # sums over the records of a leaf are rounded: in one order of the records they are always the same
        by_values = np.lexsort(base.values.T[::-1])

        def fit(labels: Floats) -> Floats:
            order = by_values[_labels_within_equals(base.values[by_values], labels[by_values])]
            model = HistGradientBoostingClassifier(
                learning_rate=self.rate,
                max_iter=self.trees,
                max_depth=self.depth,
                min_samples_leaf=self.smallest_leaf,
                early_stopping=False,
                random_state=0,
            )
            rows = base.values[order]
            out = np.empty(len(labels))
            out[order] = model.fit(rows, labels[order]).predict_proba(rows)[:, -1]
            return out

        return (
            fit,
            0,
            [f"{self.trees} trees of depth {self.depth} with leaves of at least {self.smallest_leaf} records"],
        )

    def _permuted(self, fit: Fit, t: Floats) -> tuple[float, float]:
        found = []
        for i in range(self.permutations):
            generator = Streams(Key.of(self.seed)).at("propensity", i).generator()
            found.append(_pmse(fit(generator.permutation(t)), float(t.mean())))
        return float(np.mean(found)), float(np.std(found, ddof=1))

    # -- the figure ------------------------------------------------------------------------------

    def _chance(self, t: Floats, terms: int) -> tuple[float, float]:
        c, total = float(t.mean()), len(t)
        unit = c * (1 - c) / total * ((1 - c) if self.null == "model" else 1.0)
        return terms * unit, float(np.sqrt(2 * terms)) * unit

    def _result(
        self, p: Floats, t: Floats, terms: int, permuted: tuple[float, float] | None, notes: tuple[str, ...]
    ) -> Measured:
        c, total = float(t.mean()), len(t)
        pmse = _pmse(p, c)
        mean, deviation = permuted if permuted is not None else self._chance(t, terms)
        parts = {
            "pMSE": pmse,
            "share of maximum": 100 * pmse / (c * (1 - c)),
            "null mean": mean,
            **({"ratio to null": pmse / mean} if mean > 0 else {}),
            **({"z": (pmse - mean) / deviation} if deviation > 0 else {}),
            "2N pMSE": 2 * total * pmse,
            "SPECKS": _largest_gap(p, t),
            "PO50": 100 * float(((p > 0.5) == (t > 0.5)).mean()) - 50,
        }
        return self.measured(
            pmse,
            parts=parts,
            bounds=(0.0, c * (1 - c)),
            reading=self._reading(parts),
            notes=(*notes, f"compared with chance: {self._null_words(permuted is not None)}"),
        )

    def _reading(self, parts: dict[str, float]) -> str:
        share = format_number(parts["share of maximum"])
        text = f"A model that tries to tell protected from original records achieves {share} % of full separation"
        if "ratio to null" not in parts:
            return f"{text}."
        return f"{text}, {format_number(parts['ratio to null'])} times what chance gives."

    def _null_words(self, permuted: bool) -> str:
        if permuted:
            return f"{self.permutations} random permutations of the labels"
        return (
            "a file drawn from a correct model of the original"
            if self.null == "model"
            else "a second independent sample of the same population"
        )


def _labels_within_equals(rows: Floats, labels: Floats) -> Ints:
    """An order of sorted rows in which equal ones stand by their labels."""
    new = np.concatenate([[0], np.cumsum((rows[1:] != rows[:-1]).any(axis=1))])
    return np.lexsort((labels, new))


def _pmse(p: Floats, c: float) -> float:
    value = float(np.mean((p - c) ** 2))
    # a fit that never left chance differs from it by rounding only
    return value if value > 1e-20 else 0.0


def _largest_gap(p: Floats, t: Floats) -> float:
    """Largest difference of the two files' distributions of fitted probabilities (SPECKS)."""
    x, y = np.sort(p[t == 0]), np.sort(p[t == 1])
    points = np.concatenate([x, y])
    gap = np.searchsorted(x, points, "right") / len(x) - np.searchsorted(y, points, "right") / len(y)
    return float(np.abs(gap).max())
