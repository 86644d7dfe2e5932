"""Interval disclosure: how many true values lie close to their protected version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, Grid, Range
from microveil.measure import Pair
from microveil.measure.codebooks import public_classes
from microveil.measure.sampling import Sample
from microveil.risk.base import Risk

_ROUNDING = 1e-12

Widths = Annotated[
    tuple[float, ...], Range(gt=0, le=100), Example([1, 5, 10]), "half-widths of the interval in per cent; averaged"
]
Rule = Annotated[
    Literal["cells", "any", "all"],
    Grid(("cells", "any", "all")),
    "what is counted: disclosed cells, records with any attribute disclosed, or with all of them",
]


@dataclass(frozen=True, kw_only=True)
class IntervalDisclosure(Risk):
    """Base of the interval measures: a member says how wide the interval is.

    A missing protected cell is never disclosed; a missing original cell has nothing to disclose. A value released as a
    class lies in it by construction: it is disclosed where half the class, from the least to the largest original
    value that it holds, is no wider than the interval.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    paired: ClassVar[bool] = True
    nearness: ClassVar[str] = ""

    widths: Widths = tuple(float(p) for p in range(1, 11))
    rule: Rule = "cells"

    def validate(self) -> None:
        if not self.widths:
            raise BadInput("widths is empty; give at least one half-width in per cent")

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        in_classes = [name for name in pair.columns if pair.recoded(name)]
        amounts = [name for name in pair.columns if name not in in_classes]
        before, after = (table.matrix(amounts) for table in pair.tables(amounts))
        left, right = pair.linked_rows
        X, Y, every = before[left], after[right], after
        halves = [self._halves(pair, name) for name in in_classes]
        names = (*amounts, *in_classes)
        observed = np.column_stack([~np.isnan(X), *(~np.isnan(half) for half in halves)])
        if not observed.any():
            return self.not_applicable("every original value is missing")
        near = self.intervals(X, Y, every) if amounts else None
        shares = []
        for width in self.widths:
            numbers = [] if near is None else [near(width)]
            disclosed = np.column_stack([*numbers, *(half <= width * (1 + _ROUNDING) for half in halves)])
            shares.append(self._share(disclosed, observed))
        value = float(np.mean([share[0] for share in shares]))
        by_column = np.mean([share[1] for share in shares], axis=0)
        parts = {name: float(part) for name, part in zip(names, by_column, strict=True) if not np.isnan(part)}
        what = {"cells": "of the true values", "any": "of the records, for at least one attribute,"}
        reading = (
            f"{format_number(value)} % {what.get(self.rule, 'of the records, for every attribute,')} lie close to the"
            f" released value ({self.nearness} {_listed(self.widths)} %)."
        )
        notes = _notes(tuple(amounts), X, Y)
        if in_classes:
            which = f"released as classes, close where half the class is no wider than that: {', '.join(in_classes)}"
            notes = (*notes, which)
        return self.measured(value, parts=parts, reading=reading, notes=notes)

    def choose(self, pair: Pair) -> tuple[str, ...]:
        return tuple(name for name in pair.columns if pair.before.kinds[name] in self.kinds)

    def _halves(self, pair: Pair, name: str) -> Floats:
        """Half the width of each released class in per cent; infinite where it does not hold the true value."""
        left, right = pair.linked_rows
        classes = public_classes(pair, name)
        numbers = pair.own_tables([name])[0][name].numbers
        known, shown = classes.code[left] >= 0, classes.released[right] >= 0
        out = np.where(known, np.inf, np.nan)
        both = known & shown
        if both.any():
            half = self.half_widths(*classes.ends(numbers), numbers[~np.isnan(numbers)])
            inside = classes.contains(left[both], right[both])
            out[both] = np.where(inside, half[classes.released[right[both]]], np.inf)
        return out

    def half_widths(self, low: Floats, high: Floats, observed: Floats) -> Floats:
        """Half the width of classes from `low` to `high` in per cent, beside the original values."""
        raise TypeError(f"{type(self).__name__} must implement half_widths()")

    def intervals(self, X: Floats, Y: Floats, every: Floats) -> Callable[[float], Floats]:
        """For a half-width the probability of each cell to lie in its interval; `every` are all protected records."""
        raise TypeError(f"{type(self).__name__} must implement intervals()")

    def _share(self, disclosed: Floats, observed: Bools) -> tuple[float, Floats]:
        """Per cent disclosed: by the rule, and of the cells of each column (NaN without any)."""
        hit = np.where(observed, disclosed, 0.0)
        with np.errstate(invalid="ignore"):
            by_column = 100.0 * hit.sum(axis=0) / observed.sum(axis=0)
        if self.rule == "cells":
            # attributes count alike, as in the average over attributes of the literature
            return float(np.nanmean(by_column)), by_column
        some = np.asarray(observed.any(axis=1))
        # ties of different attributes are broken independently, so probabilities of a record multiply
        if self.rule == "any":
            records = 1.0 - np.prod(1.0 - hit, axis=1)
        else:
            records = np.prod(np.where(observed, disclosed, 1.0), axis=1)
        return float(100.0 * records[some].mean()), by_column


@dataclass(frozen=True, kw_only=True)
class RankInterval(IntervalDisclosure, name="rank-interval"):
    """Per cent of true values inside the rank interval around their protected version.

    Use it for numeric attributes in any scale. The interval holds the protected values whose ranks
    differ from that of the record's own by at most p % of the records, rounded down to whole ranks, averaged over
    the widths p; a true value beyond all protected ones is in no interval. Tied protected values share their ranks
    evenly: the figure is the expectation over all orders of the ties.
    Reference: Mateo-Sanz, Sebé & Domingo-Ferrer 2004.
    """

    title: ClassVar[str] = "Rank interval disclosure"
    overview_sample: ClassVar[Sample] = Sample("records", 20_000)
    reference: ClassVar[str] = "Mateo-Sanz, Sebé & Domingo-Ferrer 2004"
    nearness: ClassVar[str] = "in rank, within"

    def intervals(self, X: Floats, Y: Floats, every: Floats) -> Callable[[float], Floats]:
        there = ~np.isnan(Y) & ~np.isnan(X)
        # searched once for all widths
        columns = [
            _Ranks.of(X[there[:, j], j], Y[there[:, j], j], np.sort(every[~np.isnan(every[:, j]), j]))
            for j in range(X.shape[1])
        ]

        def disclosed(width: float) -> Floats:
            out = np.zeros(X.shape)
            for j, ranks in enumerate(columns):
                if ranks is not None:
                    out[there[:, j], j] = ranks.share_within(width)
            return out

        return disclosed

    def half_widths(self, low: Floats, high: Floats, observed: Floats) -> Floats:
        ordered = np.sort(observed)
        # ties share their ranks
        ranks = [(np.searchsorted(ordered, x) + np.searchsorted(ordered, x, "right") - 1) / 2 for x in (low, high)]
        return np.asarray(100.0 * (ranks[1] - ranks[0]) / 2 / max(len(ordered), 1))


class _Ranks(NamedTuple):
    """Where the values of a column stand among the n protected ones.

    The ranks from `first` to `last` are those that a released value shares with its ties; `below` and `above` are the
    ranks of the nearest protected values at or below, and at or above, the true one.
    """

    first: Ints
    last: Ints
    below: Ints
    above: Ints
    n: int

    @classmethod
    def of(cls, x: Floats, y: Floats, ordered: Floats) -> _Ranks | None:
        """The ranks of true values x and released ones y; None without any protected value."""
        if not len(ordered):
            return None
        # a value that went through another scale and back differs in the last digits
        slack = _ROUNDING * max(abs(ordered[0]), abs(ordered[-1]))
        return cls(
            np.searchsorted(ordered, y, "left"),
            np.searchsorted(ordered, y, "right") - 1,
            np.searchsorted(ordered, x + slack, "right") - 1,
            np.searchsorted(ordered, x - slack, "left"),
            len(ordered),
        )

    def share_within(self, width: float) -> Floats:
        """Share of the ranks that each released value may have among its ties whose interval holds the true one."""
        reach = int(np.floor(self.n * width / 100.0 + 1e-9))
        # x must be at least the value `reach` ranks below and at most the one `reach` ranks above; ends are cut off
        ranks = np.minimum(self.last, self.below + reach) - np.maximum(self.first, self.above - reach) + 1
        ranks = np.where((self.below < 0) | (self.above == self.n), 0, np.maximum(ranks, 0))
        return np.asarray(ranks / (self.last - self.first + 1))


@dataclass(frozen=True, kw_only=True)
class SDInterval(IntervalDisclosure, name="sd-interval"):
    """Per cent of true values within p % of a standard deviation of their protected version.

    Use it beside the rank interval: it tells closeness in value. With rule="all" and one width it is the
    share of records all of whose values are close. It uses no ranks, so ties need no rule; a value at the end
    of its interval counts as inside.
    Reference: Mateo-Sanz, Sebé & Domingo-Ferrer 2004; Templ & Meindl 2008.
    """

    quick: ClassVar[bool] = True
    title: ClassVar[str] = "Standard-deviation interval disclosure"
    reference: ClassVar[str] = "Mateo-Sanz, Sebé & Domingo-Ferrer 2004"
    nearness: ClassVar[str] = "within, in standard deviations,"

    sd: Annotated[
        Literal["masked", "original"], Grid(("masked", "original")), "whose standard deviation measures closeness"
    ] = "masked"

    def intervals(self, X: Floats, Y: Floats, every: Floats) -> Callable[[float], Floats]:
        from microveil.kernels.moments.scales import standardise

        scale = standardise(X if self.sd == "original" else every).scale
        # the last digits of a standard deviation depend on the order of the rows
        slack = _ROUNDING * np.nanmax(np.abs(every), axis=0, initial=0.0)
        change = np.abs(X - Y)

        def disclosed(width: float) -> Floats:
            with np.errstate(invalid="ignore"):
                return np.asarray(change <= width / 100.0 * scale + slack, dtype=np.float64)

        return disclosed

    def half_widths(self, low: Floats, high: Floats, observed: Floats) -> Floats:
        return halves_in_deviations(low, high, observed)


def halves_in_deviations(low: Floats, high: Floats, observed: Floats) -> Floats:
    """Half the width of classes in per cent of the original's standard deviation: they have none of their own."""
    from microveil.kernels.moments.scales import standardise

    sd = float(standardise(np.sort(observed)[:, None]).scale[0])
    half = (high - low) / 2
    return np.divide(100.0 * half, sd, out=np.where(half > 0, np.inf, 0.0), where=sd > 0)


def _listed(widths: tuple[float, ...]) -> str:
    texts = [f"{width:g}" for width in widths]
    return texts[0] if len(texts) == 1 else f"{texts[0]} to {texts[-1]}"


def _notes(names: tuple[str, ...], X: Floats, Y: Floats) -> tuple[str, ...]:
    from microveil.kernels.moments.central import constant_columns

    notes = []
    empty = [name for j, name in enumerate(names) if np.isnan(X[:, j]).all()]
    if empty:
        notes.append(f"attributes without any original value are left out: {', '.join(empty)}")
    seen = {name: X[~np.isnan(X[:, j]), j][:, None] for j, name in enumerate(names) if name not in empty}
    constant = [name for name, values in seen.items() if constant_columns(values).all()]
    if constant:
        notes.append(f"attributes with one value only are always disclosed: {', '.join(constant)}")
    gaps = int((np.isnan(Y) & ~np.isnan(X)).sum())
    if gaps:
        notes.append(f"{gaps} protected cells are missing and count as not disclosed")
    return tuple(notes)
