"""Synthesis column by column: each drawn from a model given those drawn before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Protocol

import numpy as np

from microveil.core.arrays import AnyArray, Bools
from microveil.core.edits import Edit
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Example, OfColumns, When
from microveil.core.progress import advance
from microveil.core.streams import Streams
from microveil.data.conditions import Condition
from microveil.data.extremes import tell_drawn_extremes
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.run.contract import Ties, depends
from microveil.run.method import Job, Outcome
from microveil.synth.base import FullSynthesiser, no_origin
from microveil.synth.drawn_inside import compute_totals, ranges_of, totals_of
from microveil.synth.rules import Rule, parse_rule

SMALLEST_FILE = 5
_MOST_REDRAWS = 50
_NOT_YET = "draw it earlier (visit) or keep it (given)"


class Fit(Protocol):
    """A fitted model of one column: draws values for new records."""

    notes: list[str]

    def draw(self, X: Table, generator: np.random.Generator) -> AnyArray:
        """One value (or code) per record."""
        ...


@dataclass(frozen=True, kw_only=True)
class SequentialSynthesiser(FullSynthesiser):
    """Base of synthesisers that draw one column after the other.

    With kept columns (given) or chosen `cells` the records stay those of the file and only the named values
    are drawn: partial synthesis. Otherwise all values are drawn and the records belong to nobody.
    """

    visit: Annotated[
        tuple[str, ...],
        OfColumns(),
        Example(["age", "sex"]),
        "columns to draw first, in this order; the others follow in the file's",
    ] = ()
    predictors: Annotated[
        Mapping[str, tuple[str, ...]],
        OfColumns(),
        Example({"income": ["age", "education"]}),
        "columns that a column may depend on; not named: all kept and earlier ones",
    ] = field(default_factory=dict)
    bounds: Annotated[
        Mapping[str, tuple[float | None, float | None]],
        OfColumns("keys"),
        Example({"income": [0, None]}),
        "least and largest value of a column, either may be open",
    ] = field(default_factory=dict)
    rules: Annotated[
        tuple[str, ...],
        Example(["if age < 12: income = 0"]),
        "what holds in every record, such as: if age < 12: marital = 'never'",
    ] = ()
    cells: Annotated[
        Mapping[str, str],
        When(records=None),
        OfColumns("keys"),
        Example({"income": "income > 100000"}),
        "replace a column only in records where a condition holds, such as: income > 100000",
    ] = field(default_factory=dict)

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    conditions: ClassVar[bool] = True
    skips_missing: ClassVar[bool] = True
    ties_record: ClassVar[Ties] = depends("kept", lambda method: "record" if method.cells else "kept")
    default_roles: ClassVar[tuple[str, ...]] = ("confidential",)
    least_records: ClassVar[tuple[int, int]] = (SMALLEST_FILE, 0)

    def validate(self) -> None:
        """Rules and conditions must be readable, bounds in order."""
        for text in self.rules:
            parse_rule(text)
        for text in self.cells.values():
            Condition(text)
        for name, (low, high) in self.bounds.items():
            if low is not None and high is not None and low > high:
                raise BadInput(f"bounds[{name!r}]: {low} is larger than {high}")

    def fit(self, name: str, y: Values, X: Table, generator: np.random.Generator) -> Fit:
        """The model of a column without gaps given complete or incomplete predictors (possibly none)."""
        raise TypeError(f"{type(self).__name__} must implement fit()")

    def as_predictor(self, old: Values, new: Values) -> tuple[Values, Values]:
        """An original and a drawn column on the scale on which others are modelled by them."""
        return old, new

    def run(self, table: Table, job: Job) -> Outcome:
        """Draw every column in turn."""
        kept = bool(job.given.names) or bool(self.cells)
        if not kept:
            records = table.rows if self.records is None else self.records
            empty = Table({}, records)
            columns, notes = self.synthesise(table, job.given, empty, job.streams, edits=job.edits)
            return Outcome(columns, origin=no_origin(records), notes=notes)
        if self.records is not None:
            raise BadInput(
                f"records={self.records}, but {list(job.given.names)} are kept, so that the records stay; "
                "name all columns to draw new records, or leave records out"
            )
        columns, notes = self.synthesise(table, job.given, job.given, job.streams, keep=table, edits=job.edits)
        return Outcome(columns, notes=notes)

    def synthesise(
        self,
        table: Table,
        given: Table,
        new_given: Table,
        streams: Streams,
        keep: Table | None = None,
        edits: Sequence[Edit] = (),
    ) -> tuple[dict[str, Values], tuple[str, ...]]:
        """Columns drawn for the records of `new_given`, by models fitted to `table` and `given`.

        With `keep` (the same records) gaps stay where they are and cells that were not chosen keep their value. Values
        are drawn inside the `edits` of one column; a total of others is computed from them. Other edits may break.
        """
        if table.rows < SMALLEST_FILE:
            raise NotEnoughRecords(
                f"{self.name} needs at least {SMALLEST_FILE} records to learn from: {table.rows} given"
            )
        rules = self._rules(table)
        method = replace(self, bounds=ranges_of([e for e in edits if set(e.columns) <= set(table.names)], self.bounds))
        totals = totals_of(edits, table, given, self._asked_for)
        old, new, notes = dict(given.columns), dict(new_given.columns), list[str]()
        pairs = {name: self.as_predictor(old[name], new[name]) for name in old}
        for number, name in enumerate(name for name in self._order(table) if name not in totals):
            advance(number / len(table.names))
            chosen = self._predictors(name, old)
            column = Drawing(
                method, name, table[name], Table({n: pairs[n][0] for n in chosen}, table.rows),
                Table({n: pairs[n][1] for n in chosen}, new_given.rows), streams.at(name).generator(),
            )  # fmt: skip
            learnt = self._learnt_from(name, table, {**old, name: table[name]})
            drawn = column.drawn(rules.get(name, ()), old, new, learnt, keep)
            notes += column.notes
            old[name], new[name] = table[name], drawn
            pairs[name] = self.as_predictor(table[name], drawn)
        if totals:
            new |= compute_totals(totals, new, table, keep)
            notes += [f"{name} was not drawn but computed by the rule {str(edit)!r}" for name, edit in totals.items()]
        drawn_columns = {name: new[name] for name in table.names}
        return drawn_columns, (*dict.fromkeys(notes), *tell_drawn_extremes(table, drawn_columns))

    @property
    def _asked_for(self) -> set[str]:
        """Columns that parameters speak of: they are drawn, and in time for what depends on them."""
        rules = [parse_rule(text) for text in self.rules]
        conditions = [*(rule.condition for rule in rules), *(Condition(text) for text in self.cells.values())]
        needed = [*self.predictors.values(), *(condition.columns for condition in conditions)]
        named = {*self.visit, *self.predictors, *self.bounds, *self.cells, *(rule.column for rule in rules)}
        return named.union(*needed)

    def _order(self, table: Table) -> tuple[str, ...]:
        for what, names in {
            "visit": self.visit, "predictors": self.predictors, "bounds": self.bounds, "cells": self.cells,
        }.items():  # fmt: skip
            check_names(tuple(names), list(table.names), what)
        return (*self.visit, *(name for name in table.names if name not in self.visit))

    def _predictors(self, name: str, known: Mapping[str, Values]) -> tuple[str, ...]:
        if name not in self.predictors:
            return tuple(known)
        late = [other for other in self.predictors[name] if other not in known]
        if late:
            raise BadInput(
                f"predictors[{name!r}]: {late} are not known when {name!r} is drawn; known are {list(known)}: "
                "change the order (visit) or keep them (given)"
            )
        return self.predictors[name]

    def _rules(self, table: Table) -> dict[str, tuple[Rule, ...]]:
        found: dict[str, tuple[Rule, ...]] = {}
        for text in self.rules:
            rule = parse_rule(text)
            check_names((rule.column,), list(table.names), "rules")
            rule.code(table[rule.column])
            found[rule.column] = (*found.get(rule.column, ()), rule)
        return found

    def _learnt_from(self, name: str, table: Table, known: Mapping[str, Values]) -> Bools | None:
        """Which records' cells are replaced, None for all."""
        if name not in self.cells:
            return None
        chosen = Condition(self.cells[name]).holds({**{n: table[n] for n in table.names}, **known}, _NOT_YET)
        if 0 < int(chosen.sum()) < SMALLEST_FILE:
            raise NotEnoughRecords(
                f"{self.name}: {int(chosen.sum())} cells of {name!r} fulfil {self.cells[name]!r}; "
                f"at least {SMALLEST_FILE} are needed to draw others for them"
            )
        return chosen


@dataclass
class Drawing:
    """One column on its way: what it is learnt from and where it goes."""

    method: SequentialSynthesiser
    name: str
    y: Values
    X: Table
    X_new: Table
    generator: np.random.Generator
    notes: list[str] = field(default_factory=list)

    def drawn(
        self,
        rules: tuple[Rule, ...],
        old: Mapping[str, Values],
        new: Mapping[str, Values],
        chosen: Bools | None,
        keep: Table | None,
    ) -> Values:
        """The new column: kept cells and gaps, values fixed by rules, and draws for the rest."""
        fixed_old, _ = _fixed(rules, old, self.y, self.X.rows)
        fixed_new, values = _fixed(rules, new, self.y, self.X_new.rows)
        out = np.zeros(self.X_new.rows, dtype=self.y.data.dtype)
        todo = ~fixed_new
        if keep is not None:
            stay = self.y.missing if self.y.levels is None else np.zeros(self.X_new.rows, dtype=np.bool_)
            if chosen is not None:
                stay = stay | ~chosen
            out[stay] = self.y.data[stay]
            todo &= ~stay
            fixed_new &= ~stay
        train = ~fixed_old if chosen is None else ~fixed_old & chosen
        if todo.any():
            out[todo] = self._draw(train, todo, draw_gaps=keep is None)
        out[fixed_new] = values[fixed_new]
        return self.y.with_data(out)

    def _draw(self, train: Bools, todo: Bools, draw_gaps: bool) -> AnyArray:
        observed = train & ~self.y.missing if self.y.levels is None else train
        if not observed.any():
            raise NotEnoughRecords(f"{self.method.name}: {self.name!r} has no observed value to learn from")
        X_new = self.X_new.take(np.flatnonzero(todo))
        if self.y.levels is not None:
            return self._values(observed, X_new)
        out = np.full(X_new.rows, np.nan)
        present = np.ones(X_new.rows, dtype=np.bool_)
        if draw_gaps and (observed != train).any():
            gap = Values("nominal", observed[train].astype(np.int64), (False, True))
            fit = self.method.fit(self.name, gap, self.X.take(np.flatnonzero(train)), self.generator)
            present = fit.draw(X_new, self.generator) == 1
        if present.any():
            out[present] = self._values(observed, X_new.take(np.flatnonzero(present)))
        return out

    def _values(self, observed: Bools, X_new: Table) -> AnyArray:
        rows = np.flatnonzero(observed)
        y = self.y.take(rows)
        data = y.data
        if (data == data[0]).all():
            return np.full(X_new.rows, data[0])
        fit = self.method.fit(self.name, y, self.X.take(rows), self.generator)
        drawn = self._bounded(fit, fit.draw(X_new, self.generator), X_new)
        self.notes += fit.notes
        return drawn

    def _bounded(self, fit: Fit, drawn: AnyArray, X_new: Table) -> AnyArray:
        """Draw again where a value is out of bounds: draws from the model truncated to them."""
        if self.name not in self.method.bounds:
            return drawn
        low, high = (open_ if end is None else end for end, open_ in
                     zip(self.method.bounds[self.name], (-np.inf, np.inf), strict=True))  # fmt: skip
        for _ in range(_MOST_REDRAWS):
            outside = np.flatnonzero((drawn < low) | (drawn > high))
            if not len(outside):
                return drawn
            drawn[outside] = fit.draw(X_new.take(outside), self.generator)
        left = int(((drawn < low) | (drawn > high)).sum())
        if left:
            self.notes.append(f"{left} values of {self.name!r} were set to its bounds: hardly a draw meets them")
        return np.asarray(np.clip(drawn, low, high))


def _fixed(rules: tuple[Rule, ...], columns: Mapping[str, Values], y: Values, rows: int) -> tuple[Bools, AnyArray]:
    """Which records a rule decides, and their values; the first rule that applies counts."""
    fixed, values = np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=y.data.dtype)
    for rule in rules:
        here = rule.condition.holds(columns, _NOT_YET) & ~fixed
        values[here] = rule.code(y)
        fixed |= here
    return fixed, values
