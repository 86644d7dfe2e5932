"""One column after the other: how each is learnt from those before it, and drawn for new records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from microveil.core.arrays import AnyArray, Bools
from microveil.core.edits import Edit
from microveil.core.errors import NotEnoughRecords
from microveil.core.progress import advance
from microveil.data.conditions import Condition
from microveil.data.table import Table, Values
from microveil.synth.drawn_inside import Ends, compute_totals
from microveil.synth.row_draws import Draws
from microveil.synth.rules import Rule

_MOST_REDRAWS = 50
NOT_YET = "draw it earlier (visit) or keep it (given)"

Scale = Callable[[Values], Values]


class Fit(Protocol):
    """A fitted model of one column: draws values for new records."""

    notes: list[str]

    def draw(self, X: Table, draws: Draws) -> AnyArray:
        """One value (or code) per record."""


class Models(Protocol):
    """The models of one column; `refused` says why there are none."""

    @property
    def refused(self) -> str:
        """Why no value can be drawn, empty where some can."""

    @property
    def gaps(self) -> Fit | None:
        """Whether a number is there (code 1); None where none is ever missing."""

    @property
    def values(self) -> Fit:
        """The values that are there."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be told of the model of values."""

    def fitted(self, gaps: bool) -> Fitted:
        """The models, fitted now (that of gaps if asked for), without the records that they were fitted to."""


@dataclass
class Fitting:
    """Models that are fitted when they are first asked for: what no record needs is not fitted.

    `nothing` are the words for a column of which no record tells a value.
    """

    fit: Callable[[str, Values, Table, np.random.Generator], Fit]
    name: str
    y: Values
    X: Table
    train: Bools
    generator: np.random.Generator
    nothing: str

    @cached_property
    def refused(self) -> str:
        """Why no value can be drawn."""
        return "" if self._observed.any() else self.nothing

    @cached_property
    def _observed(self) -> Bools:
        return self.train & ~self.y.missing if self.y.levels is None else self.train

    @cached_property
    def gaps(self) -> Fit | None:
        """Whether a number is there."""
        if (self._observed == self.train).all():
            return None
        there = Values("nominal", self._observed[self.train].astype(np.int64), (False, True))
        return self.fit(self.name, there, self.X.take(np.flatnonzero(self.train)), self.generator)

    @cached_property
    def values(self) -> Fit:
        """The values that are there."""
        rows = np.flatnonzero(self._observed)
        y = self.y.take(rows)
        if (y.data == y.data[0]).all():
            return _Constant(y.data[0])
        return self.fit(self.name, y, self.X.take(rows), self.generator)

    @property
    def notes(self) -> tuple[str, ...]:
        """Of the model of values, if somebody asked for it."""
        return tuple(self.values.notes) if "values" in vars(self) else ()

    def fitted(self, gaps: bool) -> Fitted:
        """The models, fitted now (that of gaps if asked for), without the records that they were fitted to."""
        if self.refused:
            return Fitted(self.refused, None, _Constant(np.nan))
        return Fitted("", self.gaps if gaps else None, self.values)


@dataclass(frozen=True)
class Fitted:
    """Models that are fitted."""

    refused: str
    gaps: Fit | None
    values: Fit

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be told of the model of values."""
        return tuple(self.values.notes)

    def fitted(self, gaps: bool) -> Fitted:
        """As they are."""
        return self


@dataclass
class _Constant:
    """The one value that all records have."""

    value: float | int
    notes: list[str] = field(default_factory=list)

    def draw(self, X: Table, draws: Draws) -> AnyArray:
        return np.full(X.rows, self.value)


@dataclass(frozen=True)
class ColumnDrawing:
    """How one column is drawn: by its models, unless rules fix it, inside its bounds."""

    name: str
    header: Values  # kind and levels, without records
    predictors: tuple[str, ...]
    models: Models
    rules: tuple[Rule, ...] = ()
    bounds: Ends | None = None
    cells: Condition | None = None  # where cells are replaced; None: everywhere

    def drawn(self, X: Table, new: Mapping[str, Values], draws: Draws, keep: Table | None) -> tuple[Values, int]:
        """The column of new records, and how many values had to be set to its bounds.

        `new` are the columns known so far. With `keep`, all columns of the same records, gaps and cells that are not
        chosen stay.
        """
        fixed, values = fixed_by(self.rules, new, self.header, X.rows)
        out = np.zeros(X.rows, dtype=self.header.data.dtype)
        todo = ~fixed
        if keep is not None:
            y = keep[self.name]
            stay = y.missing if y.levels is None else np.zeros(X.rows, dtype=np.bool_)
            if self.cells is not None:
                stay = stay | ~self.cells.holds(keep.columns, NOT_YET)
            out[stay] = y.data[stay]
            todo &= ~stay
            fixed = fixed & ~stay
        moved = 0
        if todo.any():
            rows = np.flatnonzero(todo)
            out[todo], moved = self._drawn(X.take(rows), draws.of_rows(rows), with_gaps=keep is None)
        out[fixed] = values[fixed]
        return self.header.with_data(out), moved

    def _drawn(self, X: Table, draws: Draws, with_gaps: bool) -> tuple[AnyArray, int]:
        if self.models.refused:
            raise NotEnoughRecords(self.models.refused)
        if self.header.levels is not None:
            return self._values(X, draws)
        out = np.full(X.rows, np.nan)
        there = np.ones(X.rows, dtype=np.bool_)
        gaps = self.models.gaps if with_gaps else None
        if gaps is not None:
            there = gaps.draw(X, draws.at("gap")) == 1
        moved = 0
        if there.any():
            rows = np.flatnonzero(there)
            out[there], moved = self._values(X.take(rows), draws.of_rows(rows))
        return out, moved

    def _values(self, X: Table, draws: Draws) -> tuple[AnyArray, int]:
        """Values of the model, drawn again where they are out of bounds: draws from the model truncated to these."""
        fit = self.models.values
        drawn = fit.draw(X, draws)
        if self.bounds is None:
            return drawn, 0
        low, high = (open_ if end is None else end for end, open_ in zip(self.bounds, (-np.inf, np.inf), strict=True))
        for attempt in range(_MOST_REDRAWS):
            outside = np.flatnonzero((drawn < low) | (drawn > high))
            if not len(outside):
                return drawn, 0
            drawn[outside] = fit.draw(X.take(outside), draws.at("again", attempt).of_rows(outside))
        left = int(((drawn < low) | (drawn > high)).sum())
        return np.asarray(np.clip(drawn, low, high)), left


@dataclass(frozen=True)
class Learnt:
    """How all columns are drawn, in the order in which they are drawn."""

    header: Table  # the columns in the order of the file, without records
    columns: tuple[ColumnDrawing, ...]
    scales: Mapping[str, Scale]  # on which columns stand as predictors, where it is not their own
    totals: Mapping[str, Edit]

    def drawn(
        self, given: Table, draws: Callable[[str], Draws], keep: Table | None
    ) -> tuple[dict[str, Values], Counter[str]]:
        """The columns of the records that have these kept columns, and how many values were set to bounds.

        With `keep`, the columns of the same records, gaps and cells that were not chosen stay.
        """
        new, scaled, moved = dict(given.columns), dict[str, Values](), Counter[str]()
        beside = None if keep is None else Table({**keep.columns, **given.columns}, keep.rows)
        for number, column in enumerate(self.columns):
            advance(number / len(self.columns))
            for name in column.predictors:
                if name not in scaled:
                    scaled[name] = self.scales[name](new[name]) if name in self.scales else new[name]
            X = Table({name: scaled[name] for name in column.predictors}, given.rows)
            new[column.name], moved[column.name] = column.drawn(X, new, draws(column.name), beside)
        if self.totals:
            new |= compute_totals(self.totals, new, self.header, keep)
        return {name: new[name] for name in self.header.names}, moved

    def fitted(self, gaps: bool) -> Learnt:
        """The same with all models fitted now, those of gaps if new records may have some."""
        columns = tuple(replace(column, models=column.models.fitted(gaps)) for column in self.columns)
        return replace(self, columns=columns)

    def notes(self, moved: Mapping[str, int]) -> tuple[str, ...]:
        """What is to be told of columns that were drawn."""
        found: list[str] = []
        for column in self.columns:
            if moved.get(column.name):
                found.append(
                    f"{moved[column.name]} values of {column.name!r} were set to its bounds: hardly a draw meets them"
                )
            found += column.models.notes
        found += [f"{name} was not drawn but computed by the rule {str(edit)!r}" for name, edit in self.totals.items()]
        return tuple(dict.fromkeys(found))


def fixed_by(rules: tuple[Rule, ...], columns: Mapping[str, Values], y: Values, rows: int) -> tuple[Bools, AnyArray]:
    """Which records a rule decides, and their values; the first rule that applies counts."""
    fixed, values = np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=y.data.dtype)
    for rule in rules:
        here = rule.condition.holds(columns, NOT_YET) & ~fixed
        values[here] = rule.code(y)
        fixed |= here
    return fixed, values
