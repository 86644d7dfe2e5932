"""Synthesis column by column of files of any size: models learnt from a random part, records drawn by their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.streams import Streams
from microveil.data.extremes import SeenEnds, tell_ends
from microveil.data.table import Table, Values
from microveil.run.afar import Afar
from microveil.run.by_ranks import Making
from microveil.run.method import Job, Outcome
from microveil.run.parts import run_by_rows
from microveil.run.ranked import Ranked
from microveil.synth.base import FullSynthesiser, no_origin
from microveil.synth.column_drawing import Learnt
from microveil.synth.known_part import KnownPart
from microveil.synth.row_draws import ByPlace

if TYPE_CHECKING:
    from microveil.synth.sequential import SequentialSynthesiser


class Background(Protocol):
    """Where the kept columns of new records come from."""

    def drawn(self, records: int, streams: Streams) -> Table:
        """Those of some records, each by its place."""


@dataclass(frozen=True)
class FromPart:
    """How records are drawn, each by its place, and what is to be told of them."""

    learnt: Learnt
    kept: bool  # whether the records stay those of the file
    ends: Mapping[str, SeenEnds]  # of the amounts of all records
    notes: tuple[str, ...]
    background: Background | None = None

    def drawn(self, table: Table, job: Job) -> Outcome:
        """New values for some records, with counts for what is told of all."""

        def draws(name: str) -> ByPlace:
            return ByPlace(job.streams.at(name))

        given = self._given(table, job)
        columns, moved = self.learnt.drawn(given, draws, table if self.kept else None)
        tallies = Counter({f"bounds {name}": count for name, count in moved.items()})
        for name, seen in self.ends.items():
            tallies.update(f"{which} {name}" for which in seen.held_by(columns[name].numbers))
        return Outcome(columns if self.kept else {**given.columns, **columns}, tallies=tallies)

    def _given(self, table: Table, job: Job) -> Table:
        if self.kept:
            return job.given
        if self.background is None:
            return Table({}, table.rows)
        return self.background.drawn(table.rows, job.streams)

    def told(self, tallies: Mapping[str, int]) -> tuple[str, ...]:
        """The notes on all records."""
        moved = {column.name: tallies.get(f"bounds {column.name}", 0) for column in self.learnt.columns}
        ends = {
            name: [which for which in ("largest", "smallest") if tallies.get(f"{which} {name}")] for name in self.ends
        }
        return (*self.notes, *self.learnt.notes(moved), *tell_ends(ends))


@dataclass(frozen=True)
class AllDrawn:
    """What became of the records of a small file, which were drawn together."""

    places: Ints
    columns: Mapping[str, Values]
    notes: tuple[str, ...]

    def drawn(self, table: Table, job: Job) -> Outcome:
        """What became of some of them."""
        rows = np.searchsorted(self.places, job.streams.places(table.rows))
        return Outcome({name: values.take(rows) for name, values in self.columns.items()})

    def told(self, tallies: Mapping[str, int]) -> tuple[str, ...]:
        """The notes on all of them."""
        return self.notes


@dataclass(frozen=True)
class _Tallies:
    counts: Mapping[str, int]

    def merge(self, other: _Tallies) -> _Tallies:
        return _Tallies(Counter(self.counts) + Counter(other.counts))


def from_memory(method: SequentialSynthesiser, table: Table, job: Job) -> Outcome:
    """What comes of records that are in memory: drawn together while they are few, else each by its place."""
    kept = method.keeps_records(job.given)
    made = table.rows if kept else method.number_of(table.rows)
    if not method.takes_part(max(table.rows, made)):
        columns, notes = _together(method, table, job.given, job, kept)
        return Outcome(columns, origin=None if kept else no_origin(made), notes=notes)
    known = learn_part(method, Afar(table, job), kept)
    if kept:
        return method.settle(run_by_rows(partial(method.act, known=known), table, job), table, job, known)
    return make_in_memory(known, made, job)


def from_afar(method: SequentialSynthesiser, records: Ranked) -> AllDrawn | FromPart | Making:
    """The same of records that are not all in memory."""
    kept = method.keeps_records(records.job.given)
    made = records.records if kept else method.number_of(records.records)
    if not method.takes_part(max(records.records, made)):
        part = KnownPart.of(records, records.records)
        columns, notes = _together(method, part.table, part.given, records.job, kept)
        return AllDrawn(part.places, columns, notes) if kept else hand_out(method, records, columns, notes)
    known = learn_part(method, records, kept)
    return known if kept else make_afar(method, records, known, made)


def _together(
    method: SequentialSynthesiser, table: Table, given: Table, job: Job, kept: bool
) -> tuple[dict[str, Values], tuple[str, ...]]:
    new = given if kept else Table({}, method.number_of(table.rows))
    return method.synthesise(table, given, new, job.streams, table if kept else None, job.edits)


def learn_part(
    method: SequentialSynthesiser,
    records: Afar,
    kept: bool,
    background: Callable[[KnownPart], Background] | None = None,
) -> FromPart:
    """The models, all fitted in one place."""
    assert method.learn_from is not None
    part, streams = KnownPart.of(records, method.learn_from), records.job.streams
    generators = {name: streams.at(name).generator() for name in part.table.names}
    among = (
        f" among the {part.records:,} records that models are learnt from; raise learn_from"
        if part.records < records.records
        else ""
    )
    learnt = method.learnt(part.table, part.given, generators, records.job.edits, among)
    notes = _tell_part(part, records.records, kept)
    beside = None if background is None else background(part)
    return FromPart(learnt.fitted(gaps=not kept), kept, part.ends, notes, beside)


def make_in_memory(known: FromPart, made: int, job: Job) -> Outcome:
    """New records, whose numbers are those of their ranks."""
    none = Table({}, made)
    found = run_by_rows(known.drawn, none, Job(job.streams.by_rank(), none, none, engine=job.engine))
    return replace(found, origin=no_origin(made), notes=known.told(found.tallies))


def make_afar(method: FullSynthesiser, records: Ranked, known: FromPart, made: int) -> Making:
    """How they are made where not all of them are in memory."""
    new = records.made(made)
    tallies = new.job.engine.gather(new.table, new.job, lambda none, its: _Tallies(known.drawn(none, its).tallies))
    names, notes = records.table.names, known.told(tallies.counts)
    return method.making(new, lambda none, its: known.drawn(none, its).columns, names, notes)


def hand_out(method: FullSynthesiser, records: Ranked, columns: Mapping[str, Values], notes: tuple[str, ...]) -> Making:
    """New records that were all drawn together, as many as anybody asks for at a time."""
    made = len(next(iter(columns.values())).data)
    held = AllDrawn(np.arange(made), columns, notes)
    return method.making(
        records.made(made), lambda none, its: held.drawn(none, its).columns, records.table.names, notes
    )


def _tell_part(part: KnownPart, records: int, kept: bool) -> tuple[str, ...]:
    """From how many records was learnt, and which categories none of them has."""
    if part.records == records:
        return ()
    notes = [f"models were learnt from a random part of {part.records:,} of the {records:,} records"]
    for name, counted in part.counts.items():
        unseen, there = part.unseen(name), int(np.count_nonzero(counted.counts))
        if unseen:
            stays = kept and name in part.given.columns
            drawn = "no help in drawing what stands beside" if stays else "drawn for no record"
            them = "is too rare to be among these: it is" if unseen == 1 else "are too rare to be among these: they are"
            notes.append(f"{unseen} of the {there} categories of {name!r} {them} {drawn}")
    return tuple(notes)
