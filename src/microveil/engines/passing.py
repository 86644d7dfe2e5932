"""Passes over a file in blocks: each block is taken through the steps that are known so far, and looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any, NamedTuple, TypeVar

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.streams import Streams
from microveil.engines.asked_job import header, job_of, path_of
from microveil.engines.asking import Ask, Question, ask_together
from microveil.engines.block_data import BlockData
from microveil.engines.files import BLOCK_ROWS, Block
from microveil.engines.finding import Finding
from microveil.engines.held import Became, BecameByColumns, Held, share_of
from microveil.engines.known import NotKnownThere
from microveil.engines.merging import added
from microveil.engines.part_rows import PartRows
from microveil.engines.ranking import learn_ranks
from microveil.engines.refusing import ORDER_IN_MEMORY, goes_by_ranks, goes_in_groups, is_learnt
from microveil.engines.scanning import Scan
from microveil.engines.workers import HERE, Workers
from microveil.kernels.summaries.summary import Summary
from microveil.kernels.summaries.together import Together
from microveil.run.afar import NeedsAllRecords
from microveil.run.by_ranks import Making
from microveil.run.by_rows import ByRows
from microveil.run.contract import Step
from microveil.run.found_before import Made
from microveil.run.gaps import list_gaps, note_dropped, refuse_gaps
from microveil.run.parts import carried, in_place, place_of
from microveil.run.state import BlockStep, Doing, Path, State

T = TypeVar("T")
S = TypeVar("S", bound=Summary)


@dataclass(frozen=True)
class LearntStep:
    """A step with all that it needs to know of the file, by the path of its streams, and notes on its rows."""

    step: Step
    path: Path
    known: Mapping[Path, Any]
    notes: tuple[str, ...]
    sizes: Mapping[int, int]  # records of each subdomain on which it acts
    saw_all: bool
    columns: frozenset[str]  # that it looks at
    paths: Mapping[int, Path]  # of the streams of each subdomain

    @property
    def held(self) -> Held | None:
        """What became of the records, where it could not be learnt but had to be found."""
        found = next(iter(self.known.values()), None)
        return found.held if isinstance(found, Became) else None

    @property
    def by_columns(self) -> bool:
        """Whether the step was run column by column."""
        return isinstance(next(iter(self.known.values()), None), BecameByColumns)

    @property
    def on_disk(self) -> bool:
        """Whether something of the step is on disk for as long as the run takes."""
        return self.held is not None or self.by_columns or goes_by_ranks(self.step)

    @property
    def made(self) -> int | None:
        """How many records the step made, if it makes any."""
        if self._making is not None:
            return self._making.records
        return None if self.held is None else self.held.made

    @property
    def _making(self) -> Making | None:
        found = next(iter(self.known.values()), None)
        return found if isinstance(found, Making) else None

    def made_in(self, first: int, count: int, records: int) -> Made | None:
        """The records that the step made in place of a block, if it makes any."""
        made, held, making = self.made, self.held, self._making
        if made is None:
            return None
        start, stop = share_of(made, first, count, records)
        if making is not None:
            return making.made(start, stop)
        assert held is not None
        return held.made_rows(start, stop)


class Places(NamedTuple):
    """Where records stand as far as draws of a step go: those that it was given, and those released in the end."""

    before: Ints
    released: Ints  # -1: a later step made it


class Passed(NamedTuple):
    """A block after all steps: how many records stand before it, the state it began with, and every step's.

    `at` is where its first record stands as far as draws go: made records are counted anew.
    """

    first: int
    begun: State
    steps: tuple[BlockStep, ...]
    at: int

    @property
    def state(self) -> State:
        """The last state."""
        return self.steps[-1].state if self.steps else self.begun

    def before(self, number: int) -> State:
        """The state before a step."""
        return self.steps[number - 1].state if number else self.begun

    @property
    def places(self) -> Ints:
        """Where each record stands."""
        return self.at + np.arange(len(self.state.origin)) if self.state.synthetic else self.first + self.state.origin

    def places_at(self, number: int) -> Places:
        """Where records stood when they went into a step; those that it made, where they stand among these."""
        given = self.before(number)
        before = self.at + np.arange(len(given.origin)) if given.synthetic else self.first + given.origin
        rows = np.arange(len(self.state.origin))
        for one in reversed(self.steps[number + 1 :]):
            rows = carried(one.where, rows)
        was = carried(self.steps[number].where, rows)
        made = np.where(rows < 0, -1, self.at + rows)
        return Places(before, np.where(was < 0, made, before[was] if len(before) else made))


@dataclass(frozen=True)
class InBlocks:
    """A file in blocks and the steps that were learnt so far."""

    source: Scan
    streams: Streams
    rows: int = BLOCK_ROWS
    workers: Workers = HERE
    learnt: tuple[LearntStep, ...] = ()
    folder: FilePath | None = None  # where steps that cannot be learnt hold what became of records
    order_in_memory: int = ORDER_IN_MEMORY  # records up to which a column is put in order in memory

    def each(self, work: Callable[[Passed], T], also: Iterable[str] | None = None) -> Iterator[T]:
        """What `work` says of each block, in their order.

        `also`: the columns that it looks at beside those of the steps, so that others are not read; None: all.
        """
        return self.workers.each(self.source.files, self.rows, self._read(also), lambda block: work(self.passed(block)))

    def gather(self, of: Callable[[Passed], S], also: Iterable[str] | None = None) -> S:
        """The summary of all records; what those who work elsewhere turn out to need of the file is found first."""
        while True:
            try:
                return self.workers.gather(
                    self.source.files, self.rows, self._read(also), lambda block: of(self.passed(block))
                )
            except NotKnownThere as asked:
                asked.find(self.source.known)

    def _read(self, also: Iterable[str] | None) -> list[str] | None:
        if also is None:
            return None
        needed = {
            *also,
            *self.source.facts.names("weight", "household"),
            *(name for one in self.learnt for name in one.columns),
        }
        return [name for name in self.source.columns if name in needed]

    def passed(self, block: Block) -> Passed:
        """A block of the files after all steps."""
        return self._passed(block.first, self.source.block(block.table))

    def _passed(self, first: int, data: BlockData) -> Passed:
        state = begun = State.begin(data)
        steps, at = [], first
        for one in self.learnt:
            made = one.made_in(first, data.n, self.source.n)
            found = state.advance_block(one.step, self._streams(one.path, at), one.known, made)
            steps.append(found)
            state, at = found.state, at if made is None else made.first
        return Passed(first, begun, tuple(steps), at)

    def _streams(self, path: Path, first: int) -> Streams:
        return replace(self.streams.at(*path), first=first)

    # -- learning --------------------------------------------------------------------------------

    def learn(self, step: Step, path: Path) -> InBlocks:
        """The same with one step more: what it must know is gathered by passes."""
        first = next(iter(self.source.blocks(1)))
        begun = self._passed(*first).state
        head = begun.prepare(step, self._streams(path, 0))
        self._find_levels(head)
        columns = frozenset((*head.table.names, *head.given.names, *head.job.around.names, *step.by))
        rows = self._rows(step, path, columns)
        self._refuse_fewer(step, rows.records)
        # in one order, whichever block had the first gap
        order = {name: place for place, name in enumerate((*head.table.names, *head.given.names))}
        gaps = dict(sorted(rows.gaps.items(), key=lambda one: order[one[0]]))
        listed = list_gaps(gaps)
        notes: tuple[str, ...] = ()
        if rows.gaps:
            refuse_gaps(step, listed)
            if step.missing == "drop":
                notes = (note_dropped(rows.records - sum(rows.sizes.values()), rows.records, listed),)
            else:
                notes = (f"values are missing in {listed}; the observed cells were used",)
        labels = self.labels(step)

        finding = Finding(self, step, path, head, PartRows.of(head, begun), rows.sizes, columns)
        try:
            if is_learnt(step):
                known = self._learnt(step, path, head, rows.sizes, columns)
            elif goes_by_ranks(step):
                known = {-1: learn_ranks(self, step, path, head, rows.sizes[-1], columns)}
            else:
                known = finding.found()
        except NeedsAllRecords:
            if not goes_in_groups(step):
                raise
            known = finding.found()  # each subdomain in memory by itself
        paths = {number: path_of(head, labels[number]) for number in known}
        of_path = {paths[number]: found for number, found in known.items()}
        saw_all = sum(rows.sizes.values()) == self.source.n
        learnt = LearntStep(step, path, of_path, notes, rows.sizes, saw_all, columns, paths)
        return replace(self, learnt=(*self.learnt, learnt))

    def _rows(self, step: Step, path: Path, columns: frozenset[str]) -> _Rows:
        """The records on which a step acts, and what is missing; where nothing is, that was seen in the first look."""
        if self._sees_all(step, columns):
            return _Rows(self.source.n, {-1: self.source.n}, {})
        return self.gather(lambda passed: _Rows.of(passed.state, self.doing(passed, step, path)), columns)

    def _sees_all(self, step: Step, columns: frozenset[str]) -> bool:
        """Whether a step acts on all records as they are in the file, and nothing is missing there."""
        return not self.learnt and not step.by and columns <= self.source.complete

    def _learnt(
        self, step: Step, path: Path, head: Doing, sizes: Mapping[int, int], columns: frozenset[str]
    ) -> Mapping[int, Any]:
        """What the method must know of each subdomain, gathered."""
        method, labels = step.method, self.labels(step)
        assert isinstance(method, ByRows)
        ends = self.source.ends if self._sees_all(step, columns) else {}

        def learning(number: int) -> Callable[[Ask], Any]:
            label = labels[number]
            of_part = header(head, sizes[number])
            return lambda ask: in_place(place_of(label), lambda: method.learn(of_part, job_of(head, label, ask, ends)))

        return ask_together(
            {number: learning(number) for number in sorted(sizes)},
            lambda asked: self.answers(step, path, asked, columns),
        )

    def _refuse_fewer(self, step: Step, records: int) -> None:
        """Made records are counted through, and none may be missing where a later step draws by their numbers."""
        made = [one.made for one in self.learnt if one.made is not None]
        if made and made[-1] != records:
            raise BadInput(
                f"{step.method.name} follows steps that made records and left some of them out, which a file in blocks "
                "cannot number; leave records out first, or run with engine='memory'"
            )

    def doing(self, passed: Passed, step: Step, path: Path) -> Doing:
        """A step prepared on a block."""
        return passed.state.prepare(step, self._streams(path, passed.at))

    def answers(
        self, step: Step, path: Path, asked: Mapping[int, Question], columns: frozenset[str]
    ) -> Mapping[int, Any]:
        """The answers to the questions of all subdomains, in one pass."""

        def of(passed: Passed) -> Together[Any, Any]:
            doing = self.doing(passed, step, path)
            domains = [domain for domain in passed.state.block_domains(doing) if domain.number in asked]
            parts = passed.state.parts(doing, domains)
            return Together(
                {
                    domain.number: asked[domain.number](part.table, part.job)
                    for domain, part in zip(domains, parts, strict=True)
                }
            )

        return self.gather(of, columns).parts

    def _find_levels(self, head: Doing) -> None:
        """The levels of all columns of categories that the step looks at, in one pass."""
        looked_at = {**head.table.columns, **head.given.columns, **head.job.around.columns}
        self.source.known.find_levels(
            dict.fromkeys(
                name
                for name in (*looked_at, *head.step.by)
                if name not in looked_at or looked_at[name].levels is not None
            )
        )

    def labels(self, step: Step) -> Mapping[int, str]:
        """How the subdomains of a step are called."""
        if not step.by:
            return {-1: ""}
        return dict(enumerate(self.source.known.domains(step.by).texts))


@dataclass(frozen=True)
class _Rows:
    """How many records there are, how many a step acts on in each subdomain, and what is missing."""

    records: int
    sizes: Mapping[int, int]
    gaps: Mapping[str, int]

    @classmethod
    def of(cls, state: State, doing: Doing) -> _Rows:
        sizes = {domain.number: len(domain.rows) for domain in state.block_domains(doing)}
        return cls(doing.table.rows, sizes, state.gaps(doing))

    def merge(self, other: _Rows) -> _Rows:
        return _Rows(self.records + other.records, added(self.sizes, other.sizes), added(self.gaps, other.gaps))
