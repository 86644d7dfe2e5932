"""Terms of a propensity model: base columns of any kind, and their products in classes of rising order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.data.table import Table, Values
from microveil.kernels.regression.products import combine_terms, fill_terms, total_terms

Products = tuple[int, ...]  # the base columns of a term, with repetition
TermKind = Literal["polynomial", "interactions", "powers"]

_CELLS = 1 << 20  # of the terms of one block of rows: 8 MB, which caches hold
_MOST_LEVELS = 30  # categories beyond the most frequent ones share one level


@dataclass(frozen=True)
class Base:
    """The stacked files as standardised numbers: continuous columns and indicators of categories."""

    values: Floats
    source: Ints  # which original column each base column comes from
    powered: Bools  # whether its squares say more than itself
    notes: tuple[str, ...] = ()


def base_columns(before: Table, after: Table) -> Base:
    """Both files on top of one another; a missing number becomes the mean and an indicator of its own."""
    shown = [_shown(before[name], after[name]) for name in before.names]
    source = np.repeat(np.arange(len(shown)), [len(each.levels) for each in shown])
    powered = np.array([level is None for each in shown for level in each.levels], dtype=bool)
    # one column after the other, in place: the file is large and held only once more
    values = np.empty((before.rows + after.rows, len(source)), order="F")
    column = 0
    for name, each in zip(before.names, shown, strict=True):
        for level in each.levels:
            _fill(values[: before.rows, column], before[name], level, each)
            _fill(values[before.rows :, column], after[name], level, each)
            column += 1
    keep = np.array([_standardise_in_place(values[:, j]) for j in range(len(source))], dtype=bool)
    notes = tuple(
        f"{each.lumped} rare categories of {name} are taken together"
        for name, each in zip(before.names, shown, strict=True)
        if each.lumped
    )
    return Base(values if keep.all() else values[:, keep], source[keep], powered[keep], notes)


_MISSING, _RARE = -1, -2  # what an indicator stands for, beside the codes of categories
Level = int | None  # None: the number itself


@dataclass(frozen=True)
class _Shown:
    """What becomes columns: the number and whether it is missing, or the categories but the most frequent one."""

    levels: tuple[Level, ...]
    mean: float = 0.0
    frequent: tuple[int, ...] = ()
    lumped: int = 0


def _shown(x: Values, y: Values) -> _Shown:
    if x.levels is None:
        observed = [values.data[~values.missing] for values in (x, y)]
        count = sum(map(len, observed))
        mean = sum(float(part.sum()) for part in observed) / count if count else 0.0
        complete = count == len(x.data) + len(y.data)
        return _Shown((None,) if complete else (None, _MISSING), mean)
    levels, counts = np.unique(np.concatenate([x.data, y.data]), return_counts=True)
    order = tuple(levels[np.argsort(-counts, kind="stable")].tolist())
    frequent, lumped = order[:_MOST_LEVELS], max(len(order) - _MOST_LEVELS, 0)
    return _Shown((*frequent[1:], *((_RARE,) if lumped else ())), frequent=frequent, lumped=lumped)


def _fill(out: Floats, values: Values, level: Level, shown: _Shown) -> None:
    if level is None:
        out[:] = np.where(values.missing, shown.mean, values.data) if _MISSING in shown.levels else values.data
    elif values.levels is None:
        out[:] = values.missing
    elif level == _RARE:
        out[:] = ~np.isin(values.data, shown.frequent)
    else:
        out[:] = values.data == level


def _standardise_in_place(column: Floats) -> bool:
    """Centre and scale in place; False for a constant column."""
    from microveil.kernels.moments.scales import standardise

    scaled = standardise(column[:, None])
    column[:] = scaled.values[:, 0]
    return bool(scaled.scale[0] > 0)


@dataclass(frozen=True)
class TermClass:
    """Products of one form: how many there are, and how to list them."""

    name: str
    size: int
    listed: Callable[[], list[Products]]


def term_classes(base: Base, kind: TermKind, order: int) -> list[TermClass]:
    """Products of base columns in classes, the plainest first; none is listed until asked for."""
    every = range(base.values.shape[1])
    powered = [j for j in every if base.powered[j]]
    # columns that come from the same original column as each base column, itself among them
    kin = np.bincount(base.source)[base.source] if len(every) else np.zeros(0, dtype=np.int64)
    twos, threes = _products_apart(np.bincount(base.source))
    classes = [TermClass("single columns", len(every), lambda: [(j,) for j in every])]
    if kind in ("polynomial", "powers"):
        classes += [TermClass(f"powers {d}", len(powered), _powers(powered, d)) for d in range(2, order + 1)]
    if kind in ("polynomial", "interactions"):
        if order >= 2:
            classes.append(TermClass("products of two columns", twos, lambda: _apart(base, combinations(every, 2))))
        if order >= 3 and kind == "polynomial":
            size = int((len(every) - kin[powered]).sum())
            squares = "squares times another column"
            classes.append(TermClass(squares, size, lambda: _apart(base, _squares(powered, every))))
        if order >= 3:
            classes.append(TermClass("products of three columns", threes, lambda: _apart(base, combinations(every, 3))))
    return [found for found in classes if found.size]


def _powers(powered: list[int], degree: int) -> Callable[[], list[Products]]:
    return lambda: [(j,) * degree for j in powered]


def _squares(powered: list[int], every: range) -> Iterator[Products]:
    return ((i, i, j) for i in powered for j in every if j != i)


def _products_apart(sizes: Ints) -> tuple[int, int]:
    """How many pairs and triples of base columns stem from different original columns, `sizes` of each."""
    one = two = three = 0
    for size in sizes.tolist():
        one, two, three = one + size, two + one * size, three + two * size
    return two, three


def _apart(base: Base, products: Iterator[Products]) -> list[Products]:
    """Without products of two indicators of the same column: they are 0 or themselves."""
    out = []
    for product in products:
        parts = sorted(set(product))
        sources = {int(base.source[j]) for j in parts}
        if len(sources) == len(parts):
            out.append(product)
    return out


def choose_terms(base: Base, kind: TermKind, order: int, most: int) -> tuple[list[Products], list[str]]:
    """Whole classes of terms while they stay below `most`, and the names of the classes left out.

    Classes are taken or left as they are, without a look at the data: a choice of the terms that tell the
    files apart best would spoil the comparison with chance. Only classes that are taken are listed.
    """
    chosen: list[Products] = []
    left_out = []
    for found in term_classes(base, kind, order):
        if chosen and len(chosen) + found.size > most:
            left_out.append(found.name)
        else:
            chosen += found.listed()
    return chosen, left_out


@dataclass(frozen=True)
class Terms:
    """The terms of every record, made block by block: standardised, without columns that depend on others."""

    base: Floats
    products: tuple[Products, ...]
    centre: Floats
    scale: Floats
    correlations: Floats

    @property
    def count(self) -> int:
        """The number of terms."""
        return len(self.products)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Rows and their terms."""
        for rows, T in _raw_blocks(self._columns, self._factors):
            T -= self.centre
            T /= self.scale
            yield rows, T

    def linear(self, weights: Floats) -> Floats:
        """The weighted sum of the terms of every record."""
        of_raw = weights / self.scale
        return combine_terms(self._columns, self._factors, of_raw) - float(of_raw @ self.centre)

    def totals(self, weights: Floats) -> Floats:
        """The sum of every term over the records, which have weights."""
        raw = total_terms(self._columns, self._factors, weights)
        return np.asarray((raw - self.centre * weights.sum()) / self.scale)

    def cross(self) -> Floats:
        """Means of the products of all pairs of 1 and the terms, which have mean 0."""
        return np.asarray(np.pad(self.correlations, ((1, 0), (1, 0)))) + np.diag([1.0] + [0.0] * self.count)

    @cached_property
    def _columns(self) -> Floats:
        return np.ascontiguousarray(self.base.T)

    @cached_property
    def _factors(self) -> Ints:
        return _factors_of(self.products)


def independent_terms(base: Floats, products: list[Products], tolerance: float = 1e-9) -> tuple[Terms, int]:
    """The terms that are no linear combination of earlier ones, and how many were dropped."""
    mean, gram = _moments(np.ascontiguousarray(base.T), _factors_of(products))
    scale = np.sqrt(np.maximum(np.diag(gram), 0.0))
    varies = scale > 1e-9 * np.maximum(np.abs(mean), 1.0)
    scale = np.where(varies, scale, 1.0)
    correlations = gram / np.outer(scale, scale)
    keep = _independent(correlations, varies, tolerance)
    chosen = tuple(product for product, kept in zip(products, keep, strict=True) if kept)
    return Terms(base, chosen, mean[keep], scale[keep], correlations[np.ix_(keep, keep)]), int((~keep).sum())


def _factors_of(products: Sequence[Products]) -> Ints:
    """The base columns of each term, -1 where it has fewer than others."""
    longest = max(map(len, products), default=1)
    return np.array([(*product, *[-1] * (longest - len(product))) for product in products], np.int64).reshape(
        -1, longest
    )


def _raw_blocks(columns: Floats, factors: Ints) -> Iterator[tuple[slice, Floats]]:
    """Rows and their terms as they are; they may be overwritten."""
    step = max(1, _CELLS // max(1, len(factors)))
    for first in range(0, columns.shape[1], step):
        rows = slice(first, min(first + step, columns.shape[1]))
        out = np.empty((len(factors), rows.stop - first))
        fill_terms(columns, factors, first, out)
        yield rows, out.T


def _moments(columns: Floats, factors: Ints) -> tuple[Floats, Floats]:
    n = columns.shape[1]
    mean = total_terms(columns, factors, np.full(n, 1.0 / n))
    gram = np.zeros((len(factors), len(factors)))
    for _, T in _raw_blocks(columns, factors):
        T -= mean
        gram += T.T @ T / n
    return mean, gram


def _independent(C: Floats, varies: Bools, tolerance: float) -> Bools:
    """Columns in order, each kept when the ones before leave part of its variance: a Cholesky that skips."""
    k = len(C)
    keep = np.zeros(k, dtype=bool)
    L = np.zeros((k, k))
    used = 0
    for j in range(k):
        row = L[:used, j]
        rest = C[j, j] - row @ row
        if not varies[j] or rest <= tolerance:
            continue
        keep[j] = True
        L[used, j:] = (C[j, j:] - row @ L[:used, j:]) / np.sqrt(rest)
        used += 1
    return keep
