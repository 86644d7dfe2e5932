"""Designs of regression formulas, and least squares from a triangular factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.formula import Formula
from microveil.data.table import Table

_INDEPENDENT = 1e-8  # part of a predictor's length that earlier predictors must leave unexplained
# A standard error near 0 would turn rounding into hundreds of standard errors, so such columns are left out and named,
# the best explained first.
_COMBINED = 1e-5  # share of a column's variance that others leave unexplained, below which it is taken for their sum
_PERFECT = 1e-10  # share of unexplained variance below which a fit is perfect


class Fit(NamedTuple):
    """Least squares in one file: intercept first, then the terms."""

    terms: tuple[str, ...]
    coefficients: Floats
    errors: Floats
    scale: Floats  # of each coefficient: what a change of one standard deviation would make it
    freedom: int
    perfect: bool
    singular: bool
    constant: tuple[str, ...] = ()  # terms that do not vary: of a category, the file has no record of it

    def only(self, terms: Sequence[str]) -> Fit:
        """The same fit, of which some terms are looked at."""
        places = [self.terms.index(term) for term in terms]
        return self._replace(
            terms=tuple(terms),
            coefficients=self.coefficients[places],
            errors=self.errors[places],
            scale=self.scale[places],
        )


def all_on_all(names: Sequence[str]) -> tuple[Formula, ...]:
    """Each column on all the others."""
    return tuple(Formula(name, tuple(other for other in names if other != name)) for name in names)


class FittedBoth(NamedTuple):
    """One formula in both files, and the terms left out because others of the original imply them."""

    before: Fit
    after: Fit
    left_out: tuple[str, ...]


class Factor(NamedTuple):
    """The R factor of the centred and scaled columns of a file: all that least squares needs, whatever the formula."""

    R: Floats
    mean: Floats
    scale: Floats
    n: int
    terms: tuple[str, ...]
    source: tuple[str, ...]  # the column each term belongs to

    @classmethod
    def of(cls, table: Table) -> Factor:
        """The factor of all columns; categories become indicators of all but the first."""
        from microveil.kernels.moments.scales import standardise

        X, terms, source = _design(table)
        scaled = standardise(X)
        values = scaled.values - scaled.values.mean(axis=0)
        R = np.asarray(np.linalg.qr(values, mode="r"))
        return cls(R, scaled.centre, scaled.scale, len(X), terms, source)

    def numbers(self, names: Sequence[str]) -> list[int]:
        """The positions of the terms of these columns."""
        return [k for name in names for k, source in enumerate(self.source) if source == name]

    def independent(self, predictors: list[int]) -> list[int]:
        """Those predictors that earlier ones do not imply."""
        basis = np.zeros((len(self.R), 0))
        kept = []
        for j in predictors:
            column = self.R[:, j]
            size = float(np.linalg.norm(column))
            rest = column - basis @ (basis.T @ column)
            rest -= basis @ (basis.T @ rest)
            left = float(np.linalg.norm(rest))
            if size > 0 and left > _INDEPENDENT * size:
                kept.append(j)
                basis = np.column_stack([basis, rest / left])
        return kept

    def combinations(self) -> list[int]:
        """The terms that are sums of the others, or nearly so: regressions beside them have next to no error.

        What is told best by the rest goes first, of several that are told alike the last one.
        """
        rest = [j for j in range(len(self.terms)) if self.R[:, j].any()]
        found: list[int] = []
        while len(rest) > 1:
            shares = [max(self._unexplained(j, [i for i in rest if i != j]), _PERFECT) for j in rest]
            least = min(shares)
            if least >= _COMBINED:
                break
            found.append(max(j for j, share in zip(rest, shares, strict=True) if share == least))
            rest.remove(found[-1])
        return sorted(found)

    def _unexplained(self, j: int, others: list[int]) -> float:
        """The share of the variance of one term that others leave."""
        target, A = self.R[:, j], self.R[:, others]
        left = target - A @ np.linalg.lstsq(A, target, rcond=_INDEPENDENT)[0]
        return float(left @ left / (target @ target))

    def fit(self, response: int, predictors: list[int]) -> Fit:
        """Least squares of one column on others, in the units of the file."""
        k = len(predictors)
        A, target = self.R[:, predictors], self.R[:, response]
        inverse = np.linalg.pinv(A, rcond=_INDEPENDENT)
        b = inverse @ target
        freedom = self.n - k - 1
        rss = float(np.sum((target - A @ b) ** 2))
        s2 = rss / freedom if freedom > 0 else np.nan
        covariance = inverse @ inverse.T * s2
        scale, mean = self.scale[predictors], self.mean[predictors]
        per_x = np.divide(1.0, scale, out=np.zeros(k), where=scale > 0)
        unit = self.scale[response] if self.scale[response] > 0 else 1.0
        slopes = unit * b * per_x
        to_mean = mean * per_x
        intercept = self.mean[response] - float(slopes @ mean)
        errors = unit * np.sqrt(np.maximum(np.diag(covariance), 0.0)) * per_x
        error = unit * np.sqrt(max(s2 / self.n + float(to_mean @ covariance @ to_mean), 0.0))
        return Fit(
            terms=("intercept", *(self.terms[j] for j in predictors)),
            coefficients=np.append(intercept, slopes),
            errors=np.append(error, errors),
            scale=np.append(unit * (1 + np.abs(to_mean).sum()), unit * np.where(per_x > 0, per_x, 1.0)),
            freedom=freedom,
            perfect=rss <= _PERFECT * float(target @ target),
            constant=tuple(self.terms[j] for j in predictors if not self.scale[j] > 0),
            singular=bool(np.linalg.matrix_rank(A, tol=_INDEPENDENT * float(np.linalg.norm(A))) < k),
        )


def fit_both(formula: Formula, before: Factor, after: Factor) -> FittedBoth:
    """The formula fitted to both files with the same terms.

    A class that only the release has is a value of its own there: its records stand in none of the original's.
    """
    response = before.numbers([formula.response])[0]
    every = before.numbers(formula.predictors)
    kept = before.independent(every)
    one = before.fit(response, kept)
    new = [j for j in every if not before.scale[j] > 0 and after.scale[j] > 0 and before.terms[j] != before.source[j]]
    left_out = tuple(before.terms[j] for j in every if j not in kept and j not in new)
    return FittedBoth(one, after.fit(response, [*kept, *new]).only(one.terms), left_out)


def _design(table: Table) -> tuple[Floats, tuple[str, ...], tuple[str, ...]]:
    columns: list[Floats] = []
    terms: list[str] = []
    source: list[str] = []
    for name in table.names:
        values = table[name]
        if values.levels is None:
            columns.append(values.numbers)
            terms.append(str(name))
        else:
            for code, level in enumerate(values.levels[1:], start=1):
                columns.append((values.data == code).astype(np.float64))
                terms.append(f"{name}={level}")
        source += [name] * (len(terms) - len(source))
    return np.column_stack(columns), tuple(terms), tuple(source)
