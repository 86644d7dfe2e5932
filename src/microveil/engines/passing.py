"""Passes over a file in blocks: each block is taken through the steps that are known so far, and looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path as FilePath
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.engines.asking import Ask, Question, ask_together
from microveil.engines.block_data import BlockData
from microveil.engines.files import BLOCK_ROWS
from microveil.engines.held import Became, Held
from microveil.engines.holding import Gathered, hold
from microveil.engines.in_order import in_order
from microveil.engines.merging import added
from microveil.engines.part_rows import PartRows
from microveil.engines.scanning import Scan
from microveil.kernels.summaries.summary import Summary, merge_all
from microveil.kernels.summaries.together import Together
from microveil.run.by_rows import ByRows
from microveil.run.contract import MethodContract, Step
from microveil.run.found_before import Made
from microveil.run.gaps import list_gaps, note_dropped, refuse_gaps
from microveil.run.job import Job
from microveil.run.parts import Part, Ran, Run
from microveil.run.state import BlockStep, Doing, Path, State, run_alone

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

    def made_in(self, first: int, count: int, records: int) -> Made | None:
        """The records that the step made in place of a block, if it makes any."""
        held = self.held
        if held is None or held.made is None:
            return None
        start, stop = held.share(first, count, records)
        rows = held.rows(start, stop)
        return Made(held.values(rows), held.domains(rows), start)


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


@dataclass(frozen=True)
class InBlocks:
    """A file in blocks and the steps that were learnt so far."""

    source: Scan
    streams: Streams
    rows: int = BLOCK_ROWS
    threads: int = 1
    learnt: tuple[LearntStep, ...] = ()
    folder: FilePath | None = None  # where steps that cannot be learnt hold what became of records

    def each(self, work: Callable[[Passed], T], also: Iterable[str] | None = None) -> Iterator[T]:
        """What `work` says of each block, in their order.

        `also`: the columns that it looks at beside those of the steps, so that others are not read; None: all.
        """
        names = None
        if also is not None:
            needed = {
                *also,
                *self.source.facts.names("weight", "household"),
                *(name for one in self.learnt for name in one.columns),
            }
            names = [name for name in self.source.columns if name in needed]
        return in_order(self.source.blocks(self.rows, names), lambda block: work(self._passed(*block)), self.threads)

    def gather(self, of: Callable[[Passed], S], also: Iterable[str] | None = None) -> S:
        """The summary of all records."""
        return merge_all(self.each(of, also))

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
        rows = self.gather(lambda passed: _Rows.of(passed.state, self._doing(passed, step, path)), columns)
        self._refuse_fewer(step, rows.records)
        listed = list_gaps(rows.gaps)
        notes: tuple[str, ...] = ()
        if rows.gaps:
            refuse_gaps(step, listed)
            if step.missing == "drop":
                notes = (note_dropped(rows.records - sum(rows.sizes.values()), rows.records, listed),)
            else:
                notes = (f"values are missing in {listed}; the observed cells were used",)
        labels = self._labels(step)

        if goes_by_blocks(step.method):
            known = self._learnt(step, path, head, rows.sizes, columns)
        else:
            known = self._found(step, path, PartRows.of(head, begun), rows.sizes, columns)
        paths = {number: _path(head, labels[number]) for number in known}
        of_path = {paths[number]: found for number, found in known.items()}
        saw_all = sum(rows.sizes.values()) == self.source.n
        learnt = LearntStep(step, path, of_path, notes, rows.sizes, saw_all, columns, paths)
        return replace(self, learnt=(*self.learnt, learnt))

    def _learnt(
        self, step: Step, path: Path, head: Doing, sizes: Mapping[int, int], columns: frozenset[str]
    ) -> Mapping[int, Any]:
        """What the method must know of each subdomain, gathered."""
        method, labels = step.method, self._labels(step)
        assert isinstance(method, ByRows)

        def learning(number: int) -> Callable[[Ask], Any]:
            return lambda ask: method.learn(_header(head, sizes[number]), _job(head, labels[number], ask))

        return ask_together(
            {number: learning(number) for number in sorted(sizes)},
            lambda asked: self._answers(step, path, asked, columns),
        )

    def _found(
        self, step: Step, path: Path, rows: PartRows, sizes: Mapping[int, int], columns: frozenset[str]
    ) -> Mapping[int, Became]:
        """What became of the records of each subdomain, which was in memory by itself."""

        def of(passed: Passed) -> pa.Table:
            doing = self._doing(passed, step, path)
            return rows.to_table(passed.state, doing, passed.state.block_domains(doing))

        assert self.folder is not None
        what = Gathered(sizes, self._labels(step), rows, self.source.n)
        folder = self.folder / f"step-{len(self.learnt) + 1}"
        return hold(self.each(of, columns), what, partial(run_alone, step.method), folder, self.threads)

    def _refuse_fewer(self, step: Step, records: int) -> None:
        """Made records are counted through, and none may be missing where a later step draws by their numbers."""
        made = [one.held.made for one in self.learnt if one.held is not None and one.held.made is not None]
        if made and made[-1] != records:
            raise BadInput(
                f"{step.method.name} follows steps that made records and left some of them out, which a file in blocks "
                "cannot number; leave records out first, or run with engine='memory'"
            )

    def _doing(self, passed: Passed, step: Step, path: Path) -> Doing:
        return passed.state.prepare(step, self._streams(path, passed.at))

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


def goes_in_groups(step: Step) -> bool:
    """Whether a step can be run in its subdomains, each of which is in memory by itself."""
    left_out = step.missing == "mask" and type(step.method).leaves_out is not MethodContract.leaves_out
    return bool(step.by) and not left_out


def refuse_before_reading(steps: Sequence[Step]) -> None:
    """One sentence for the first step that cannot be run on a file in blocks, with the way out."""
    for step in steps:
        if goes_by_blocks(step.method) or goes_in_groups(step):
            continue
        if step.by:
            raise BadInput(
                f"{step.method.name} with missing='mask' leaves out records whose gaps are rare, which blocks do not "
                "tell; use missing='drop', or run with engine='memory' on a machine that holds the file"
            )
        raise BadInput(
            f"{step.method.name}, as it is set, needs {_NEEDS.get(step.method.passes, 'all records in one place')} "
            "and cannot be run on a file in blocks as a whole; give by=... to run it inside subdomains of which each "
            "fits into memory, take another method (docs: large files), or run with engine='memory' on a machine that "
            "holds the file"
        )


_NEEDS = {"order": "the order of all records", "blocks": "records near one another side by side"}
