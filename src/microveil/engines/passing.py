"""Passes over a file in blocks: each block is taken through the steps that are known so far, and looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from microveil.core.errors import BadInput
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.engines.asking import Ask, Question, ask_together
from microveil.engines.block_data import BlockData
from microveil.engines.files import BLOCK_ROWS, Block
from microveil.engines.known import NotKnownThere
from microveil.engines.merging import added
from microveil.engines.scanning import Scan
from microveil.engines.workers import HERE, Workers
from microveil.kernels.summaries.summary import Summary
from microveil.kernels.summaries.together import Together
from microveil.run.by_rows import ByRows
from microveil.run.contract import MethodContract, Step
from microveil.run.gaps import list_gaps, note_dropped, refuse_gaps
from microveil.run.job import Job
from microveil.run.parts import Part, Ran, Run
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


class Passed(NamedTuple):
    """A block after all steps: how many records stand before it, the state it began with, and every step's."""

    first: int
    begun: State
    steps: tuple[BlockStep, ...]

    @property
    def state(self) -> State:
        """The last state."""
        return self.steps[-1].state if self.steps else self.begun

    def before(self, number: int) -> State:
        """The state before a step."""
        return self.steps[number - 1].state if number else self.begun


@dataclass(frozen=True)
class InBlocks:
    """A file in blocks and the steps that were learnt so far."""

    source: Scan
    streams: Streams
    rows: int = BLOCK_ROWS
    workers: Workers = HERE
    learnt: tuple[LearntStep, ...] = ()

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
        steps = []
        for one in self.learnt:
            found = state.advance_block(one.step, self._streams(one.path, first), one.known)
            steps.append(found)
            state = found.state
        return Passed(first, begun, tuple(steps))

    def _streams(self, path: Path, first: int) -> Streams:
        return replace(self.streams.at(*path), first=first)

    # -- learning --------------------------------------------------------------------------------

    def learn(self, step: Step, path: Path) -> InBlocks:
        """The same with one step more: what it must know is gathered by passes."""
        method = step.method
        if not isinstance(method, ByRows):
            raise BadInput(f"{method.name} cannot be run on a file in blocks")  # refused before, in better words
        first = next(iter(self.source.blocks(1)))
        head = self._passed(*first).state.prepare(step, self._streams(path, 0))
        self._find_levels(head)
        columns = frozenset((*head.table.names, *head.given.names, *head.job.around.names, *step.by))
        rows = self.gather(lambda passed: _Rows.of(passed.state, self._doing(passed, step, path)), columns)
        listed = list_gaps(rows.gaps)
        notes: tuple[str, ...] = ()
        if rows.gaps:
            refuse_gaps(step, listed)
            if step.missing == "drop":
                notes = (note_dropped(rows.records - sum(rows.sizes.values()), rows.records, listed),)
            else:
                notes = (f"values are missing in {listed}; the observed cells were used",)
        labels = self._labels(step)

        def learning(number: int) -> Callable[[Ask], Any]:
            return lambda ask: method.learn(_header(head, rows.sizes[number]), _job(head, labels[number], ask))

        known = ask_together(
            {number: learning(number) for number in sorted(rows.sizes)},
            lambda asked: self._answers(step, path, asked, columns),
        )
        paths = {number: _path(head, labels[number]) for number in known}
        of_path = {paths[number]: found for number, found in known.items()}
        saw_all = sum(rows.sizes.values()) == self.source.n
        learnt = LearntStep(step, path, of_path, notes, rows.sizes, saw_all, columns, paths)
        return replace(self, learnt=(*self.learnt, learnt))

    def _doing(self, passed: Passed, step: Step, path: Path) -> Doing:
        return passed.state.prepare(step, self._streams(path, passed.first))

    def _answers(
        self, step: Step, path: Path, asked: Mapping[int, Question], columns: frozenset[str]
    ) -> Mapping[int, Any]:
        """The answers to the questions of all subdomains, in one pass."""

        def of(passed: Passed) -> Together[Any, Any]:
            doing = self._doing(passed, step, path)
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

    def _labels(self, step: Step) -> Mapping[int, str]:
        if not step.by:
            return {-1: ""}
        return dict(enumerate(self.source.known.domains(step.by).texts))


def _header(head: Doing, rows: int) -> Table:
    """Names, kinds and levels of the columns, and how many records there are; no record."""
    return Table({name: _empty(values) for name, values in head.table.columns.items()}, rows)


def _empty(values: Values) -> Values:
    return values.take(slice(0, 0))


def _path(head: Doing, label: str) -> Path:
    return (*head.job.streams.path, *((label,) if label else ()))


def _job(head: Doing, label: str, ask: Ask) -> Job:
    streams = head.job.streams.at(label) if label else head.job.streams
    return replace(head.job, streams=streams, engine=_Asking(ask))


@dataclass(frozen=True)
class _Asking:
    """An engine that has no records and asks for what is gathered of them."""

    ask: Ask

    def gather(self, table: Table, job: Job, of: Question) -> Any:
        """The answer, once a pass was made for it."""
        return self.ask(of)

    def map(self, parts: Iterable[Part], run: Run, rows: int) -> list[Ran]:
        """No part is here to be run."""
        raise BadInput("a method that learns from a file in blocks may gather and no more")

    def split(self, rows: int) -> Iterable[slice]:
        """No row is here to be split."""
        raise BadInput("a method that learns from a file in blocks may gather and no more")


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


def goes_by_blocks(method: MethodContract) -> bool:
    """Whether a method can be run on a file of which no more than a block is in memory."""
    return isinstance(method, ByRows) and method.gathers and method.passes not in ("blocks", "file")


def refuse_before_reading(steps: Sequence[Step]) -> None:
    """One sentence for the first step that cannot be run on a file in blocks, with the way out."""
    for step in steps:
        if not goes_by_blocks(step.method):
            raise BadInput(
                f"{step.method.name}, as it is set, needs {_NEEDS.get(step.method.passes, 'all records in one place')} "
                "and cannot be run on a file in blocks; take another method (docs: large files), or run with "
                "engine='memory' on a machine that holds the file"
            )


_NEEDS = {"order": "the order of all records", "blocks": "records near one another side by side"}
