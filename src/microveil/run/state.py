"""The state of a run between its steps: the rows and values so far, and what is promised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Ints
from microveil.core.errors import BadInput, MissingValues
from microveil.core.streams import Streams
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values, are_all_in_order
from microveil.data.units import round_to
from microveil.run.contract import MethodContract, Step, StepRecord
from microveil.run.digits import unit_of
from microveil.run.engine import Engine, LocalEngine
from microveil.run.found_before import FoundBefore, Made
from microveil.run.gaps import list_gaps, note_dropped, refuse_gaps
from microveil.run.groups import differs_in_groups, holds_each_once
from microveil.run.job import Job, Outcome
from microveil.run.parts import Part, Ran, carried, join_rows, order_rows, part_of, place_of, run_parts, taken
from microveil.run.promises import Later, Lost, Promise, after_step, make_promises
from microveil.run.running_a_part import mark_of, numbers_in, outcome_of, refuse_changed, with_claims
from microveil.run.unchanged import FEW, Unchanged, chance_of_agreement, count_domains, is_constant, same_cells

_IN_MEMORY = LocalEngine()


Path = tuple[str | int, ...]
_NO_ROWS: Ints = np.zeros(0, dtype=np.int64)


class Domain(NamedTuple):
    """A subdomain: its number in the source's list of them (-1: there are none), its label and its rows."""

    number: int
    text: str
    rows: Ints


class Doing(NamedTuple):
    """A step with what it needs to run: the columns it replaces and keeps, each with its kind, and the job."""

    step: Step
    chosen: Mapping[str, str]
    kept: Mapping[str, str]
    table: Table
    given: Table
    job: Job
    path: Path


class BlockStep(NamedTuple):
    """What a step made of a block: the state after it, what came of each subdomain in it, and which rows it saw.

    `where` is for each row after the step the row that it was.
    """

    state: State
    ran: Mapping[int, Ran]
    seen: Ints
    where: Ints


@dataclass(frozen=True)
class State:
    """Rows (by their row in the source) and changed columns after some steps."""

    source: Microdata
    origin: Ints
    changed: Mapping[str, Values]
    # group of each row by the step that formed groups, -1 where it has none
    groupings: Mapping[int, Ints] = field(default_factory=dict)
    # subdomain of each row, where synthetic rows were made inside subdomains: they have no original to ask
    strata: Mapping[tuple[str, ...], Ints] = field(default_factory=dict)
    promises: tuple[Promise, ...] = ()
    lost: tuple[Lost, ...] = ()
    unchanged: tuple[Unchanged, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    notes: tuple[str, ...] = ()
    aside: Mapping[str, Microdata] = field(default_factory=dict)

    @classmethod
    def begin(cls, source: Microdata, aside: Mapping[str, Microdata] | None = None) -> State:
        """Nothing done yet."""
        return cls(source, np.arange(source.n, dtype=np.int64), {}, aside=aside or {})

    def values(self, name: str, kind: str | None = None) -> Values:
        """The present values of a column."""
        if name in self.changed:
            return self.changed[name]
        values = self.source.values(name, kind)
        return values if self._as_in_source else values.at(self.origin)

    @cached_property
    def _as_in_source(self) -> bool:
        return are_all_in_order(self.origin, self.source.n)

    def table(self, kinds: Mapping[str, str]) -> Table:
        """The present values of some columns."""
        return Table({name: self.values(name, kind) for name, kind in kinds.items()}, len(self.origin))

    @property
    def synthetic(self) -> bool:
        """Whether there are rows and none of them comes from a source row."""
        return bool(len(self.origin)) and bool((self.origin < 0).all())

    def advance(self, step: Step, streams: Streams, engine: Engine = _IN_MEMORY) -> State:
        """Run one step."""
        doing = self.prepare(step, streams, engine)
        rows, notes = self._complete_rows(step, doing.table, doing.given)
        domains = self._domains(step, rows)
        return self._merge(doing.table, self._run(doing, domains), domains, self.record_of(doing, notes), rows)

    def prepare(
        self, step: Step, streams: Streams, engine: Engine = _IN_MEMORY, known: Mapping[Path, Any] | None = None
    ) -> Doing:
        """What a step needs to run on these rows; what it may not use is refused.

        `known` is what was learnt of the whole file, by the path of the streams, where these rows are a block of it.
        """
        method = step.method
        chosen, kept = method.resolve(self._as_recoded(method), step)
        self._check_kinds(method, chosen)
        if method.restores and self.synthetic:
            raise BadInput(
                f"{method.name} restores moments of the records that are protected, and an earlier step made new ones "
                "in their place; put it before that step, or leave it out"
            )
        aside = method.looks_at(self.source)
        self._refuse_identifiers(step, chosen, kept, aside)
        table, given = self.table(chosen), self.table(kept)
        around = self.table({name: self.source.kinds[name] for name in aside})
        original = self._originals(chosen) if method.restores else table
        own = streams.at(method.name).of_rows(self._positions())
        job = Job(
            own, given, original, None, None, engine, around, self.aside, self.source.edits_of_amounts, known or {}
        )
        return Doing(step, chosen, kept, table, given, job, streams.path)

    def parts(self, doing: Doing, domains: Sequence[Domain]) -> Iterator[Part]:
        """The rows of each subdomain, with the job cut to them."""
        return (self._part(doing.table, doing.job, domain.text, domain.rows) for domain in domains)

    def _run(self, doing: Doing, domains: Sequence[Domain]) -> list[Ran]:
        method, marks = doing.step.method, mark_of(doing.table, doing.given)
        ran = run_parts(
            self.parts(doing, domains),
            lambda part, its: with_claims(outcome_of(method, part, its), method, tuple(doing.chosen)),
            sum(len(domain.rows) for domain in domains),
            doing.job.engine,
        )
        refuse_changed(method, marks, doing.table, doing.given)
        return ran

    def record_of(self, doing: Doing, notes: tuple[str, ...] = ()) -> StepRecord:
        """The step as it is to be run."""
        return StepRecord(
            doing.step,
            tuple(doing.chosen),
            tuple(doing.kept),
            tuple(doing.chosen.values()),
            notes,
            doing.path,
            passed_over=doing.step.method.passes_over(self.source, doing.step, doing.chosen),
        )

    # -- blocks of a file ------------------------------------------------------------------------

    def advance_block(
        self, step: Step, streams: Streams, known: Mapping[Path, Any], made: Made | None = None
    ) -> BlockStep:
        """Rows and values after a step, where these are a block of a file of which all that it needs is known.

        What is promised, told and counted is that of the whole file, and is not decided here. `made` are the records
        that stand in place of the block where the step makes new ones.
        """
        doing = self.prepare(step, streams, known=known)
        record, domains = self.record_of(doing), self.block_domains(doing)
        if made is not None:
            return self._replaced(doing, record, domains, made)
        if not domains:
            return BlockStep(replace(self._without_rows(), steps=(*self.steps, record)), {}, _NO_ROWS, _NO_ROWS)
        ran = self._run(doing, domains)
        found, where, strata = self._joined(step.by, doing.table, ran, domains)
        if found.groups is not None:
            # they were numbered through the whole file
            groups = [one.outcome.groups for one in ran if one.outcome.groups is not None]
            found = replace(found, groups=np.concatenate(groups)[order_rows(ran)[1]])
        return BlockStep(
            replace(self._rows_after(found, where, strata), steps=(*self.steps, record)),
            {domain.number: one for domain, one in zip(domains, ran, strict=True)},
            np.sort(np.concatenate([domain.rows for domain in domains])),
            where,
        )

    def _replaced(self, doing: Doing, record: StepRecord, domains: Sequence[Domain], made: Made) -> BlockStep:
        """The block with made records in place of its own, which may be of other subdomains than these."""
        where = np.full(len(made.domains), -1, dtype=np.int64)
        strata = {doing.step.by: made.domains} if doing.step.by else {}
        none = {name: values.take(slice(0, 0)) for name, values in made.columns.items()}
        ran = {}
        for domain, part in zip(domains, self.parts(doing, domains), strict=True):
            known = part.job.known[part.job.streams.path]
            claims = known.told.claims if isinstance(known, FoundBefore) else None
            ran[domain.number] = Ran(domain.rows, doing.table.names, Outcome(none, origin=_NO_ROWS, claims=claims))
        after = self._rows_after(Outcome(made.columns), where, strata)
        seen = np.sort(np.concatenate([_NO_ROWS, *(domain.rows for domain in domains)]))
        return BlockStep(replace(after, steps=(*self.steps, record)), ran, seen, where)

    def block_domains(self, doing: Doing) -> list[Domain]:
        """The subdomains that have rows in a block, with those of its rows on which the step acts."""
        rows = np.arange(doing.table.rows, dtype=np.int64)
        if doing.step.missing == "drop":
            rows = rows[~numbers_in(doing.table, doing.given).incomplete]
        return [domain for domain in self._domains(doing.step, rows) if len(domain.rows)]

    def gaps(self, doing: Doing) -> dict[str, int]:
        """How many cells are missing in the columns in which the step has to say what to do about it."""
        return self._gaps(doing.step, doing.table, doing.given)

    def _without_rows(self) -> State:
        return replace(
            self,
            origin=self.origin[:0],
            changed={name: values.take(slice(0, 0)) for name, values in self.changed.items()},
            groupings={number: labels[:0] for number, labels in self.groupings.items()},
            strata={by: labels[:0] for by, labels in self.strata.items()},
        )

    def _part(self, table: Table, job: Job, label: str, members: Ints) -> Part:
        """The rows of one subdomain, with the weights and households of their source."""
        part = part_of(table, job, (label,) if label else (), members, label=label, place=place_of(label))
        sources = self.origin[members]
        weights, households = (taken(values, sources) for values in (self.source.weights, self.source.households))
        return replace(part, job=replace(part.job, weights=weights, households=households))

    def _originals(self, chosen: Mapping[str, str]) -> Table:
        """What earlier steps hid, which only a method that declares it sees."""
        columns = {name: self.source.values(name, kind).at(self.origin) for name, kind in chosen.items()}
        return Table(columns, len(self.origin))

    def _positions(self) -> Ints:
        """Where the rows stand in the file: what a record draws does not depend on who else is left."""
        unique = self._as_in_source or (holds_each_once(self.origin) and not (self.origin < 0).any())
        return self.origin if unique else np.arange(len(self.origin), dtype=np.int64)

    def _as_recoded(self, method: MethodContract) -> Microdata:
        """What is known about the columns, with the kinds that earlier steps gave them if the method acts on those."""
        kinds = {name: values.kind for name, values in self.changed.items() if values.kind in method.kinds}
        return self.source.seen_as(kinds)

    def _refuse_identifiers(self, step: Step, *used: Iterable[str]) -> None:
        """Identifiers are never released, and nothing that is released may follow them."""
        own = "identifier" in step.method.default_roles
        chosen, kept, aside = used
        named = [*(() if own else chosen), *kept, *step.by, *aside]
        # a subdomain that there is not is told where subdomains are formed
        found = [name for name in named if self.source.roles.get(name) == "identifier"]
        if found:
            raise BadInput(
                f"{step.method.name} would use {', '.join(map(repr, found))}; identifiers are left out of a release, "
                "which may not follow them either; name other columns, or state another role"
            )

    def _check_kinds(self, method: MethodContract, chosen: Mapping[str, str]) -> None:
        for name in chosen:
            if name in self.changed and self.changed[name].kind not in method.kinds:
                raise BadInput(
                    f"{method.name} cannot act on {name!r}: an earlier step made it {self.changed[name].kind}"
                )

    # -- rows ------------------------------------------------------------------------------------

    def _complete_rows(self, step: Step, table: Table, given: Table) -> tuple[Ints, tuple[str, ...]]:
        gaps = self._gaps(step, table, given)
        everything = np.arange(table.rows, dtype=np.int64)
        if not gaps:
            return everything, ()
        listed = list_gaps(gaps)
        refuse_gaps(step, listed)
        if step.missing == "mask":
            return self._usable_rows(step, table, given, listed)
        incomplete = numbers_in(table, given).incomplete
        return everything[~incomplete], (note_dropped(int(incomplete.sum()), table.rows, listed),)

    def _gaps(self, step: Step, table: Table, given: Table) -> dict[str, int]:
        numbers = numbers_in(table, given).columns
        taken: tuple[str, ...] = ()
        if step.missing == "error":
            taken = tuple(name for name in table.names if name in numbers and step.method.takes_gaps(table[name]))
        found = {name: int(np.count_nonzero(values.missing)) for name, values in numbers.items() if name not in taken}
        return {name: count for name, count in found.items() if count}

    def _usable_rows(self, step: Step, table: Table, given: Table, listed: str) -> tuple[Ints, tuple[str, ...]]:
        """The rows that a method which acts around gaps can act on."""
        everything, rare = np.arange(table.rows, dtype=np.int64), np.zeros(table.rows, dtype=np.bool_)
        for _, _, members in self._domains(step, everything):
            left_out = step.method.leaves_out(table.take(members), given.take(members))
            if left_out is not None:
                rare[members] = left_out
        note = f"values are missing in {listed}; the observed cells were used"
        if not rare.any():
            return everything, (note,)
        if rare.all():
            raise MissingValues(
                f"values are missing in {listed} and too few records have the same gaps for {step.method.name}; "
                "use missing='drop'"
            )
        count = (
            f"{int(rare.sum()):,} of {table.rows:,} records were left out, because too few others miss the same values:"
            " records are grouped with those that have the same gaps"
        )
        return everything[~rare], (note, count)

    def domain_of_rows(self, by: tuple[str, ...]) -> Ints:
        """The subdomain of each row, as a number in the source's list of them; -1 where a synthetic row has none."""
        if by in self.strata:
            return self.strata[by]
        labels = self.source.domains(by)[0]
        return np.where(self.origin >= 0, labels[self.origin], -1)

    def _domains(self, step: Step, rows: Ints) -> list[Domain]:
        if not step.by:
            return [Domain(-1, "", rows)]
        texts = self.source.domains(step.by)[1]
        of_row = self.domain_of_rows(step.by)[rows]
        if (of_row < 0).any():
            raise BadInput(
                f"synthetic records belong to no subdomain of {list(step.by)}; give the step that made them the same by"
            )
        return [Domain(i, text, rows[of_row == i]) for i, text in enumerate(texts) if (of_row == i).any()]

    # -- joining the parts -----------------------------------------------------------------------

    def _merge(
        self, table: Table, ran: Sequence[Ran], domains: Sequence[Domain], record: StepRecord, rows: Ints
    ) -> State:
        """The state after a step, from what it did to each part."""
        found, where, strata = self._joined(record.step.by, table, ran, domains)
        promises, lost = self._promises_after(record, found, where, rows)
        return replace(
            self._rows_after(found, where, strata),
            promises=promises,
            lost=(*self.lost, *lost),
            unchanged=(*self.unchanged, *self._unchanged(record, found.columns, where)),
            steps=(*self.steps, self._as_run(record, found, where)),
            notes=(*self.notes, *record.notes, *found.notes),
        )

    def _joined(
        self, by: tuple[str, ...], table: Table, ran: Sequence[Ran], domains: Sequence[Domain]
    ) -> tuple[Outcome, Ints, dict[tuple[str, ...], Ints]]:
        """One outcome of all parts; for each new row the row it was (-1: made by the step); and its subdomain."""
        strata: dict[tuple[str, ...], Ints] = {}
        if by and any((part.where < 0).any() for part in ran):
            # a made row has no source row that would tell its subdomain later: it is remembered
            ran = [self._in_domain(by, part) for part in ran]
            numbers = [domain.number for domain in domains]
            strata[by] = np.repeat(numbers, [len(part.where) for part in ran])[order_rows(ran)[1]]
        found = join_rows(table, ran)
        where = np.arange(table.rows) if found.origin is None else found.origin
        return found, where, strata

    def _rows_after(self, found: Outcome, where: Ints, strata: dict[tuple[str, ...], Ints]) -> State:
        """Rows and values after a step.

        Rows are numbered anew here: everything that is held by row (origins, strata, groupings, columns changed
        before) is carried along by the row that each new one was.
        """
        columns = found.columns
        # those of this step are newer than what earlier steps remembered
        for names, labels in self.strata.items():
            strata.setdefault(names, carried(labels, where))
        groupings = {number: carried(labels, where) for number, labels in self.groupings.items()}
        if found.groups is not None:
            groupings[len(self.steps)] = found.groups
        return replace(
            self,
            origin=carried(self.origin, where),
            changed={
                **{name: values.at(where) for name, values in self.changed.items() if name not in columns},
                **columns,
            },
            groupings=groupings,
            strata=strata,
        )

    def _as_run(self, record: StepRecord, found: Outcome, where: Ints) -> StepRecord:
        """The record of the step with what came of it."""
        telling, groups = record.given, found.groups
        if groups is not None and (groups >= 0).all() and (where >= 0).all():
            # as they are now: later steps may coarsen them, and what was drawn follows them as they were
            telling = tuple(name for name in record.given if differs_in_groups(self.values(name).at(where), groups))
        step = record.step
        if not step.by:
            step = Step(step.method.as_run(found.tallies), step.columns, step.given, step.by, step.missing)
        notes, made = (*record.notes, *found.notes), bool((where < 0).any())
        return replace(record, step=step, notes=notes, synthetic=made, telling=telling, records=len(where))

    def _in_domain(self, by: tuple[str, ...], part: Ran) -> Ran:
        """Synthetic rows made inside a subdomain belong to it: they have its values in the columns that define it."""
        first = np.full(len(part.where), part.rows[0])
        made = {name: self.values(name).take(first) for name in by if name not in part.outcome.columns}
        return replace(part, outcome=replace(part.outcome, columns={**part.outcome.columns, **made}))

    def _promises_after(
        self, record: StepRecord, found: Outcome, where: Ints, rows: Ints
    ) -> tuple[tuple[Promise, ...], tuple[Lost, ...]]:
        """The promises that hold on after the step, its own among them, and those that it ends."""
        # a method compares with the rows it saw, not with those that were left out before it ran
        seen = self.origin[rows]
        return self.promises_after(
            record,
            found,
            None if np.array_equal(seen, np.arange(self.source.n)) else seen,
            same_rows=bool(np.array_equal(where, np.arange(len(self.origin)))),
            new_rows=bool((where < 0).any()),
        )

    def promises_after(
        self, record: StepRecord, found: Outcome, reference: Ints | None, *, same_rows: bool, new_rows: bool
    ) -> tuple[tuple[Promise, ...], tuple[Lost, ...]]:
        """The promises after a step that saw the rows of `reference` (None: all) and returned the same, or new ones."""
        # a column that was to be replaced counts even if it came back: nothing was promised about it as it is now
        touched_before = frozenset(name for step in self.steps for name in step.columns) | frozenset(self.changed)
        columns, claims = found.columns, found.claims or ()
        fresh = make_promises(claims, record, len(self.steps), reference, touched_before)
        later = Later(
            record,
            frozenset(columns),
            frozenset(name for name, values in columns.items() if self._was_amount(name) and values.levels is not None),
            same_rows,
            new_rows,
            # all it says, also what `make_promises` does not carry on: two steps that both keep a mean keep it together
            frozenset(Promise(claim.on(record.columns), record.given, record.step.by) for claim in claims),
        )
        return after_step(self.promises, fresh, later, [step.method.name for step in self.steps])

    def _was_amount(self, name: str) -> bool:
        if name in self.changed:
            return self.changed[name].levels is None
        return self.source.kinds[name] == "continuous"

    def _unchanged(self, record: StepRecord, columns: Mapping[str, Values], where: Ints) -> list[Unchanged]:
        """How much of what the step was to protect came back; rows without an original are not compared."""
        compared = np.flatnonzero(where >= 0)
        if not len(compared):
            return []
        rows, by, method = where[compared], record.step.by, record.method
        as_they_stand = are_all_in_order(rows, len(self.origin)) and len(compared) == len(where)
        domains = self.domain_of_rows(by)[rows] if by else None
        texts = self.source.domains(by)[1] if by else ()
        found = []
        for name, kind in zip(record.columns, record.kinds, strict=True):
            spares = method.may_spare(kind)
            if name not in columns and spares:
                continue  # whole records are what it protects by
            before, after = self.values(name, kind), columns.get(name)
            if not as_they_stand:
                before, after = before.at(rows), None if after is None else after.at(compared)
            same = self.same_cells(name, before, before if after is None else after)
            one = Unchanged(
                len(self.steps),
                method.name,
                name,
                len(compared) - int(np.count_nonzero(before.missing)),
                int(np.count_nonzero(same)),
                spares=spares,
            )
            if one.same == one.cells:
                one = replace(one, constant=is_constant(before))
            if one.share >= FEW:
                expected = method.expected_unchanged(name, before)
                one = replace(one, chance=chance_of_agreement(before, domains) if expected is None else expected)
            if domains is not None:
                shares, whole = count_domains(same, ~before.missing, domains, texts)
                one = replace(one, domains=shares, whole_domains=whole)
            found.append(one)
        return found

    def same_cells(self, name: str, before: Values, after: Values) -> Bools:
        """Which cells agree, or will once new amounts are rounded to the digits of the source."""
        unit = unit_of(self.source, name) if after.levels is None and before.levels is None else None
        if unit is None:
            return same_cells(before, after)
        # only what moved by less than a unit can come back
        same = np.asarray(np.abs(after.data - before.data) < 10.0**unit, dtype=np.bool_)
        near = np.flatnonzero(same)
        was, now = before.data[near], after.data[near]
        same[near] = (now == was) | (round_to(now, unit) == was)
        return same
