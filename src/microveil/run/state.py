"""The state of a run between its steps: the rows and values so far, and what is promised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import DROP, Claim
from microveil.core.errors import BadInput, MissingValues, NotEnoughRecords
from microveil.core.streams import Streams
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values
from microveil.run.method import DEFAULT_CHUNK, Job, Method, Outcome, StepRecord, Target


@dataclass(frozen=True)
class Promise:
    """A claim of one step, with the columns kept beside it and the subdomains it holds in."""

    claim: Claim
    given: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    step: int = field(default=0, compare=False)  # which step made it, from 0: it is about the groups of that step


@dataclass(frozen=True)
class State:
    """Rows (by their row in the source) and changed columns after some steps.

    `scope` marks the source rows that were not left out for missing values: promises are about these.
    """

    source: Microdata
    origin: NDArray[np.int64]
    changed: Mapping[str, Values]
    scope: NDArray[np.bool_]
    # group of each row by the step that formed groups, -1 where it has none
    groupings: Mapping[int, NDArray[np.int64]] = field(default_factory=dict)
    # subdomain of each row, where synthetic rows were made inside subdomains: they have no original to ask
    strata: Mapping[tuple[str, ...], NDArray[np.int64]] = field(default_factory=dict)
    promises: tuple[Promise, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def begin(cls, source: Microdata) -> State:
        """Nothing done yet."""
        return cls(source, np.arange(source.n, dtype=np.int64), {}, np.ones(source.n, dtype=np.bool_))

    def values(self, name: str, kind: str | None = None) -> Values:
        """The present values of a column."""
        if name in self.changed:
            return self.changed[name]
        return self.source.values(name, kind).at(self.origin)

    def table(self, kinds: Mapping[str, str]) -> Table:
        """The present values of some columns."""
        return Table({name: self.values(name, kind) for name, kind in kinds.items()}, len(self.origin))

    def advance(self, method: Method, target: Target, streams: Streams, chunk_rows: int = DEFAULT_CHUNK) -> State:
        """Run one step."""
        chosen, kept = method.resolve(self.source, target)
        self._check_kinds(method, chosen)
        table, given = self.table(chosen), self.table(kept)
        around = self.table({name: self.source.kinds[name] for name in method.looks_at(self.source)})
        rows, notes = self._complete_rows(method, target, table, given)
        scope = self._scope_without(rows)
        streams = streams.at(method.name)
        outcomes = []
        for domain, label, members in self._domains(target, rows):
            job = Job(
                streams.at(label) if label else streams,
                given.take(members),
                Table(
                    {name: self.source.values(name, kind).at(self.origin[members]) for name, kind in chosen.items()},
                    len(members),
                ),
                _taken(self.source.weights, self.origin[members]),
                _taken(self.source.households, self.origin[members]),
                chunk_rows,
                around.take(members),
            )
            try:
                outcome = method.run(table.take(members), job)
            except NotEnoughRecords as problem:
                if label:
                    raise NotEnoughRecords(f"in the subdomain {label}: {problem}") from None
                raise
            outcomes.append((domain, label, members, outcome))
        record = StepRecord(method, target, tuple(chosen), tuple(kept), notes, tuple(chosen.values()))
        return replace(self._merge(outcomes, record, notes), scope=scope)

    def _check_kinds(self, method: Method, chosen: Mapping[str, str]) -> None:
        for name in chosen:
            if name in self.changed and self.changed[name].kind not in method.kinds:
                raise BadInput(
                    f"{method.name} cannot act on {name!r}: an earlier step made it {self.changed[name].kind}"
                )

    def _complete_rows(
        self, method: Method, target: Target, table: Table, given: Table
    ) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        numbers = {name: values for name, values in {**table.columns, **given.columns}.items() if values.levels is None}
        gaps = {name: int(values.missing.sum()) for name, values in numbers.items() if values.missing.any()}
        everything = np.arange(table.rows, dtype=np.int64)
        if not gaps:
            return everything, ()
        listed = ", ".join(f"{name!r} ({count})" for name, count in gaps.items())
        if target.missing == "error":
            ways = "'drop' to leave those records out" + (
                ", or 'mask' to act on the observed cells only" if method.skips_missing else ""
            )
            raise MissingValues(f"missing values in {listed}; say what to do with missing={ways}")
        if target.missing == "mask":
            if not method.skips_missing:
                raise MissingValues(
                    f"{method.name} needs complete records and values are missing in {listed}; use missing='drop'"
                )
            return self._usable_rows(method, target, table, given, listed)
        incomplete = Table(numbers, table.rows).incomplete
        if incomplete.all():
            raise MissingValues(f"every record has a missing value in {listed}; dropping them leaves nothing")
        count = int(incomplete.sum())
        return everything[~incomplete], (
            f"{count} of {table.rows} records with missing values in {listed} were left out",
        )

    def _usable_rows(
        self, method: Method, target: Target, table: Table, given: Table, listed: str
    ) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """The rows that a method which acts around gaps can act on."""
        everything, rare = np.arange(table.rows, dtype=np.int64), np.zeros(table.rows, dtype=np.bool_)
        for _, _, members in self._domains(target, everything):
            left_out = method.leaves_out(table.take(members), given.take(members))
            if left_out is not None:
                rare[members] = left_out
        note = f"values are missing in {listed}; the observed cells were used"
        if not rare.any():
            return everything, (note,)
        if rare.all():
            raise MissingValues(
                f"values are missing in {listed} and too few records have the same gaps for {method.name}; "
                "use missing='drop'"
            )
        count = f"{int(rare.sum())} of {table.rows} records whose gaps too few others have were left out"
        return everything[~rare], (note, count)

    def _scope_without(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        left_out = np.ones(len(self.origin), dtype=np.bool_)
        left_out[rows] = False
        scope = self.scope.copy()
        scope[self.origin[left_out & (self.origin >= 0)]] = False
        return scope

    def domain_of_rows(self, by: tuple[str, ...]) -> NDArray[np.int64]:
        """The subdomain of each row, as a number in the source's list of them; -1 where a synthetic row has none."""
        if by in self.strata:
            return self.strata[by]
        labels = self.source.domains(by)[0]
        return np.where(self.origin >= 0, labels[np.maximum(self.origin, 0)], -1)

    def _domains(self, target: Target, rows: NDArray[np.int64]) -> Sequence[tuple[int, str, NDArray[np.int64]]]:
        if not target.by:
            return [(-1, "", rows)]
        texts = self.source.domains(target.by)[1]
        of_row = self.domain_of_rows(target.by)[rows]
        if (of_row < 0).any():
            raise BadInput(
                f"{int((of_row < 0).sum())} records are synthetic and belong to no subdomain of {list(target.by)}; "
                "give the step that made them the same by"
            )
        return [(i, text, rows[of_row == i]) for i, text in enumerate(texts) if (of_row == i).any()]

    def _with_domain(self, by: tuple[str, ...], members: NDArray[np.int64], outcome: Outcome, rows: int) -> Outcome:
        """Synthetic rows made inside a subdomain belong to it: they have its values in the columns that define it."""
        first = np.full(rows, members[0])
        made = {name: self.values(name).take(first) for name in by if name not in outcome.columns}
        return replace(outcome, columns={**outcome.columns, **made})

    def _merge(
        self,
        outcomes: Sequence[tuple[int, str, NDArray[np.int64], Outcome]],
        record: StepRecord,
        notes: tuple[str, ...],
    ) -> State:
        positions = [
            members if outcome.origin is None else np.where(outcome.origin >= 0, members[outcome.origin], -1)
            for _, _, members, outcome in outcomes
        ]
        where = np.concatenate(positions)
        by, strata = record.target.by, {}
        if by and (where < 0).any():
            outcomes = [
                (domain, label, members, self._with_domain(by, members, outcome, len(rows)))
                for (domain, label, members, outcome), rows in zip(outcomes, positions, strict=True)
            ]
            strata[by] = np.repeat([domain for domain, *_ in outcomes], [len(rows) for rows in positions])
        # rows stay in the order of the input; synthetic ones follow
        order = np.argsort(np.where(where < 0, np.iinfo(np.int64).max, where), kind="stable")
        where = where[order]
        columns = {
            name: _joined([outcome.columns[name] for *_, outcome in outcomes], order) for name in outcomes[0][3].columns
        }
        origin = np.where(where >= 0, self.origin[np.maximum(where, 0)], -1)
        strata = {names: labels[order] for names, labels in strata.items()}
        for names, labels in self.strata.items():
            strata.setdefault(names, np.where(where >= 0, labels[np.maximum(where, 0)], -1))
        kept = {name: values.at(where) for name, values in self.changed.items() if name not in columns}
        groupings = {
            number: np.where(where >= 0, labels[np.maximum(where, 0)], -1) for number, labels in self.groupings.items()
        }
        groups = _joined_groups([outcome.groups for *_, outcome in outcomes], order)
        if groups is not None:
            groupings[len(self.steps)] = groups
        claims = _claims_of_all(record, [outcome for *_, outcome in outcomes])
        found = [f"{label}: {note}" if label else note for _, label, _, outcome in outcomes for note in outcome.notes]
        return replace(
            self,
            origin=origin,
            changed={**kept, **columns},
            groupings=groupings,
            strata=strata,
            promises=self._promises_after(
                record, claims, tuple(columns), np.array_equal(where, np.arange(len(self.origin)))
            ),
            steps=(*self.steps, replace(record, notes=(*record.notes, *found))),
            notes=(*self.notes, *notes, *found),
        )

    def _promises_after(
        self, record: StepRecord, claims: Sequence[Claim], changed: tuple[str, ...], same_rows: bool
    ) -> tuple[Promise, ...]:
        method, by = record.method, record.target.by
        step = len(self.steps)
        fresh = tuple(Promise(claim.on(record.columns), record.given, by, step) for claim in claims)
        touched = set(changed)
        survivors = []
        for promise in self.promises:
            if not same_rows and not promise.claim.survives(DROP, frozenset(touched)):
                continue  # means, counts and groups of other rows say nothing
            if touched.isdisjoint(promise.claim.columns) or isinstance(promise.claim, method.preserves):
                survivors.append(promise)
            elif promise in fresh:
                # both steps keep it on the same columns, so both together do
                survivors.append(promise)
        untouched_before = touched.isdisjoint(name for step in self.steps for name in step.columns)
        # a comparison with the original only follows if nothing else happened to these columns
        survivors += [
            promise for promise in fresh if untouched_before or method.restores or promise.claim.about == "release"
        ]
        return tuple(dict.fromkeys(survivors))


def _claims_of_all(record: StepRecord, outcomes: Sequence[Outcome]) -> list[Claim]:
    """What the step claims in every subdomain."""
    said = [record.method.claims(record.columns) if run.claims is None else run.claims for run in outcomes]
    return [claim for claim in said[0] if all(claim in other for other in said[1:])]


def _taken(values: NDArray[Any] | None, rows: NDArray[np.int64]) -> NDArray[Any] | None:
    # synthetic rows have neither a weight nor a household
    return None if values is None or (rows < 0).any() else values[rows]


def _joined(parts: Sequence[Values], order: NDArray[np.int64]) -> Values:
    first = parts[0]
    if len(parts) == 1:
        return first.at(order)
    if all(part.levels == first.levels for part in parts):
        return replace(first, data=np.concatenate([part.data for part in parts])[order])
    levels = tuple(dict.fromkeys(level for part in parts for level in part.levels or ()))
    position = {level: i for i, level in enumerate(levels)}
    recoded = []
    for part in parts:
        lookup = np.array([*(position[level] for level in part.levels or ()), -1], dtype=np.int64)
        recoded.append(lookup[part.data])
    return replace(first, data=np.concatenate(recoded)[order], levels=levels)


def _joined_groups(parts: Sequence[NDArray[np.int64] | None], order: NDArray[np.int64]) -> NDArray[np.int64] | None:
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    shifted, start = [], 0
    for part in found:
        shifted.append(np.where(part >= 0, part + start, -1))
        start += int(part.max(initial=-1)) + 1
    return np.concatenate(shifted)[order]
