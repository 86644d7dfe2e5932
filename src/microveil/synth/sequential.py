"""Synthesis column by column: each drawn from a model given those drawn before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.arrays import Bools
from microveil.core.edits import Edit
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Example, OfColumns, Range, When
from microveil.core.streams import Streams
from microveil.data.conditions import Condition
from microveil.data.extremes import tell_drawn_extremes
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.run.by_ranks import ByRanks, Making
from microveil.run.contract import Passes, Ties, depends
from microveil.run.method import Job, Outcome
from microveil.run.ranked import Ranked
from microveil.synth.base import FullSynthesiser
from microveil.synth.column_drawing import NOT_YET, ColumnDrawing, Fit, Fitting, Learnt, Scale, fixed_by
from microveil.synth.drawn_inside import ranges_of, totals_of
from microveil.synth.from_part import AllDrawn, FromPart, from_afar, from_memory
from microveil.synth.row_draws import InTurn
from microveil.synth.rules import Rule, parse_rule

SMALLEST_FILE = 5
_LEARN_FROM = 1 << 17


@dataclass(frozen=True, kw_only=True)
class SequentialSynthesiser(ByRanks, FullSynthesiser):
    """Base of synthesisers that draw one column after the other.

    With kept columns (given) or chosen `cells` the records stay those of the file and only the named values
    are drawn: partial synthesis. Otherwise all values are drawn and the records belong to nobody. Of files with more
    records than `learn_from` a random part is learnt from, and every record is drawn by itself.
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

    learn_from: Annotated[
        int | None,
        Range(ge=50),
        "records that the models are learnt from: of larger files a random part; none: all, in memory only",
    ] = _LEARN_FROM

    passes: ClassVar[Passes] = depends("part", lambda method: "file" if method.learn_from is None else "part")
    way_out: ClassVar[str] = depends(
        "", lambda method: "" if method.learn_from else f"give learn_from={_LEARN_FROM} to learn from a random part"
    )
    also_try = ({"learn_from": 60},)
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

    def predictor_scale(self, old: Values) -> Scale | None:
        """The scale on which others are modelled by an original column; None: its own."""
        return None

    # -- running ---------------------------------------------------------------------------------

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Draw every column in turn."""
        return from_memory(self, table, job)

    def learn(self, records: Ranked) -> AllDrawn | FromPart | Making:
        """The models, from the part, and how new records are made, if they are; of a small file all that is drawn."""
        return from_afar(self, records)

    def act(self, table: Table, job: Job, known: AllDrawn | FromPart) -> Outcome:
        """New values of some records, each by itself."""
        return known.drawn(table, job)

    def settle(self, found: Outcome, table: Table, job: Job, known: AllDrawn | FromPart) -> Outcome:
        """With the notes on all records."""
        return replace(found, notes=(*found.notes, *known.told(found.tallies)))

    def keeps_records(self, given: Table) -> bool:
        """Whether the records stay those of the file; a number of new ones is refused then."""
        kept = bool(given.names) or bool(self.cells)
        if kept and self.records is not None:
            raise BadInput(
                f"records={self.records}, but {list(given.names)} are kept, so that the records stay; "
                "name all columns to draw new records, or leave records out"
            )
        return kept

    def takes_part(self, records: int) -> bool:
        """Whether of so many records a part is learnt from."""
        return self.learn_from is not None and records > self.learn_from

    # -- learning --------------------------------------------------------------------------------

    def synthesise(
        self,
        table: Table,
        given: Table,
        new_given: Table,
        streams: Streams,
        keep: Table | None = None,
        edits: Sequence[Edit] = (),
    ) -> tuple[dict[str, Values], tuple[str, ...]]:
        """Columns drawn together for the records of `new_given`, by models fitted to `table` and `given`.

        With `keep` (the same records) gaps stay where they are and cells that were not chosen keep their value. Values
        are drawn inside the `edits` of one column; a total of others is computed from them. Other edits may break.
        """
        generators = {name: streams.at(name).generator() for name in table.names}
        learnt = self.learnt(table, given, generators, edits)
        drawn, moved = learnt.drawn(new_given, lambda name: InTurn(generators[name]), keep)
        return drawn, (*learnt.notes(moved), *tell_drawn_extremes(table, drawn))

    def learnt(
        self,
        table: Table,
        given: Table,
        generators: Mapping[str, np.random.Generator],
        edits: Sequence[Edit] = (),
        among: str = "",
    ) -> Learnt:
        """How every column is drawn, by models that are fitted when they are first asked for.

        `among` says in errors which records these are, where they are not all.
        """
        if table.rows < SMALLEST_FILE:
            raise NotEnoughRecords(
                f"{self.name} needs at least {SMALLEST_FILE} records to learn from: {table.rows} given"
            )
        rules = self._rules(table)
        bounds = ranges_of([edit for edit in edits if set(edit.columns) <= set(table.names)], self.bounds)
        totals = totals_of(edits, table, given, self._asked_for)
        known, columns, scales, scaled = dict(given.columns), [], dict[str, Scale](), dict[str, Values]()
        everything = {**given.columns, **table.columns}
        for name in (name for name in self._order(table) if name not in totals):
            y, predictors, own = table[name], self._predictors(name, known), rules.get(name, ())
            for other in predictors:
                if other not in scaled:
                    scale = self.predictor_scale(known[other])
                    scales |= {} if scale is None else {other: scale}
                    scaled[other] = known[other] if scale is None else scale(known[other])
            train = ~fixed_by(own, known, y, table.rows)[0]
            cells = Condition(self.cells[name]) if name in self.cells else None
            if cells is not None:
                train &= self._chosen(name, cells, everything, among)
            nothing = f"{self.name}: {name!r} has no observed value to learn from{among}"
            X = Table({other: scaled[other] for other in predictors}, table.rows)
            models = Fitting(self.fit, name, y, X, train, generators[name], nothing)
            columns.append(ColumnDrawing(name, y.take(slice(0, 0)), predictors, models, own, bounds.get(name), cells))
            known[name] = y
        header = Table({name: values.take(slice(0, 0)) for name, values in table.columns.items()}, 0)
        return Learnt(header, tuple(columns), scales, totals)

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

    def _chosen(self, name: str, cells: Condition, columns: Mapping[str, Values], among: str) -> Bools:
        """Which records' cells are replaced, of those that are learnt from."""
        chosen = cells.holds(columns, NOT_YET)
        if 0 < int(chosen.sum()) < SMALLEST_FILE:
            raise NotEnoughRecords(
                f"{self.name}: {int(chosen.sum())} cells of {name!r} fulfil {self.cells[name]!r}{among}; "
                f"at least {SMALLEST_FILE} are needed to draw others for them"
            )
        return chosen
