"""Orders on disk and sums by passes, for methods that learn from both of records that are not all in memory."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path as FilePath
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from microveil.core.arrays import Floats, Ints, Vector
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.engines.asked_job import Asking, header
from microveil.engines.files import Block
from microveil.engines.held import Held, share_of
from microveil.engines.in_order import in_order
from microveil.engines.keeping import Keeping, files_for
from microveil.engines.ordering import OrderedOnDisk, Placed, Sampled, Sorting, in_one_pass, placed
from microveil.engines.part_rows import PLACE
from microveil.engines.workers import in_this_process
from microveil.kernels.summaries.summary import Summary
from microveil.kernels.summaries.together import Together
from microveil.run.afar import Rows
from microveil.run.by_order import Ordered
from microveil.run.by_ranks import ByMaking, ByRanks
from microveil.run.engine import LocalEngine
from microveil.run.job import Job
from microveil.run.ranked import Ranked, side_by_side
from microveil.run.state import Doing, Path

if TYPE_CHECKING:
    from microveil.engines.passing import InBlocks, Passed
    from microveil.run.contract import Step

S = TypeVar("S", bound=Summary)
T = TypeVar("T")


def learn_ranks(passing: InBlocks, step: Step, path: Path, head: Doing, records: int, columns: frozenset[str]) -> Any:
    """What a method must know of the file, from orders and sums of all records on which it acts."""
    method = step.method
    assert isinstance(method, ByRanks | ByMaking)
    assert passing.folder is not None
    folder = passing.folder / f"step-{len(passing.learnt) + 1}"
    (folder / "orders").mkdir(parents=True)
    blocks = FileBlocks(passing, step, path, columns)
    job = replace(head.job, engine=Asking(blocks.gather))
    known = method.learn(Ranked(header(head, records), job, OnDisk(blocks, job, passing.source.n, folder)))
    shutil.rmtree(folder / "orders")
    return known


@dataclass(frozen=True)
class FileBlocks:
    """The records of a file on which a step acts."""

    passing: InBlocks
    step: Step
    path: Path
    columns: frozenset[str]

    def gather(self, of: Callable[[Table, Job], S]) -> S:
        """The summary of all records, by those who work."""
        found: S = self.passing.answers(self.step, self.path, {-1: of}, self.columns)[-1]
        return found

    def each(self, of: Callable[[Table, Job], T]) -> Iterator[T]:
        """What comes of each block, in this process."""
        here = replace(self.passing, workers=in_this_process(self.passing.workers))
        for found in here.each(partial(self._of_block, of), self.columns):
            yield from found

    def _of_block(self, of: Callable[[Table, Job], T], passed: Passed) -> list[T]:
        doing = self.passing.doing(passed, self.step, self.path)
        parts = passed.state.parts(doing, passed.state.block_domains(doing))
        return [of(part.table, part.job) for part in parts]


@dataclass(frozen=True)
class MadeBlocks:
    """Records that are made, shared out among the blocks of the file: whoever works on a block makes its share."""

    passing: InBlocks
    job: Job
    records: int

    def gather(self, of: Callable[[Table, Job], S]) -> S:
        """The summary of all records, by those who work."""
        source, records, bare = self.passing.source, self.records, self.job

        def some(block: Block) -> _Perhaps[S]:
            start, stop = share_of(records, block.first, block.table.num_rows, source.n)
            return _Perhaps(LocalEngine().gather(*_made(bare, start, stop), of) if start < stop else None)

        # a block tells by its rows what its share is
        found = self.passing.workers.gather(source.files, self.passing.rows, [], some).found
        assert found is not None
        return found

    def each(self, of: Callable[[Table, Job], T]) -> Iterator[T]:
        """What comes of some records after the other, in this process."""
        rows, threads = self.passing.rows, in_this_process(self.passing.workers).number
        spans = ((start, min(start + rows, self.records)) for start in range(0, self.records, rows))
        return in_order(spans, lambda span: of(*_made(self.job, *span)), threads)


def _made(job: Job, start: int, stop: int) -> tuple[Table, Job]:
    none = Table({}, stop - start)
    return none, replace(job, streams=replace(job.streams, first=start), given=none, original=none)


@dataclass(frozen=True)
class _Perhaps(Generic[S]):
    """The summary of some records, if there were any."""

    found: S | None

    def merge(self, other: _Perhaps[S]) -> _Perhaps[S]:
        if self.found is None or other.found is None:
            return other if self.found is None else self
        return _Perhaps(self.found.merge(other.found))


@dataclass(frozen=True)
class OnDisk:
    """Puts numbers of records in order on disk; `records` are those of the file, whose places they have."""

    blocks: FileBlocks | MadeBlocks
    job: Job
    records: int
    folder: FilePath

    def ordered(self, of: Rows, words: Sequence[Streams | None]) -> list[Ordered]:
        """The columns of a matrix in files, each from its least number on."""
        numbers = range(len(words))

        def sample(block: Table, its: Job) -> Together[int, Sampled]:
            columns = _columns(of, words, numbers, block, its)
            return Together({number: Sampled.of(*column, self.records) for number, column in columns.items()})

        sampled = self.blocks.gather(sample).parts
        found: dict[int, OrderedOnDisk] = {}
        for together in in_one_pass({number: sampled[number].files for number in numbers}):
            found |= self._sorted(of, words, {number: sampled[number] for number in together})
        return [found[number] for number in numbers]

    def _sorted(
        self, of: Rows, words: Sequence[Streams | None], sampled: Mapping[int, Sampled]
    ) -> dict[int, OrderedOnDisk]:
        """Columns that are put into their files in one pass."""
        with ExitStack() as open_files:
            sortings = {
                number: open_files.enter_context(Sorting(self._new("orders"), one)) for number, one in sampled.items()
            }
            for block in self.blocks.each(partial(_columns, of, words, list(sampled))):
                for number, column in block.items():
                    sortings[number].put(*column)
        return {number: sorting.finish(self.blocks.passing.workers) for number, sorting in sortings.items()}

    def drop(self, ordered: Sequence[Ordered]) -> None:
        """Orders whose files are removed."""
        for one in ordered:
            assert isinstance(one, OrderedOnDisk)
            shutil.rmtree(one.folder)

    def held(self, found: Iterable[tuple[Ints, Vector]]) -> Rows:
        """Numbers in files by the places of their records."""
        with Keeping(self._new("held"), self.records) as keeping:
            for places, numbers in found:
                keeping.put(places, numbers)
            return self._finished(keeping)

    def kept(self, of: Rows, columns: int) -> Rows:
        """A matrix in files by the places of the records, in one pass unless too many would be open."""
        files = dict.fromkeys(range(columns), files_for(self.records))
        return side_by_side([one for together in in_one_pass(files) for one in self._kept(of, together)])

    def _kept(self, of: Rows, numbers: Sequence[int]) -> list[Rows]:
        def look(block: Table, its: Job) -> tuple[Ints, Floats]:
            return its.streams.places(block.rows), of(block, its)[:, list(numbers)]

        with ExitStack() as open_files:
            keepings = [open_files.enter_context(Keeping(self._new("held"), self.records)) for _ in numbers]
            for places, X in self.blocks.each(look):
                for j, keeping in enumerate(keepings):
                    keeping.put(places, X[:, j])
            return [self._finished(keeping) for keeping in keepings]

    def _finished(self, keeping: Keeping) -> Rows:
        return HeldColumn(keeping.finish(Values("continuous", np.zeros(0)), "number", {-1: self.records}))

    def made(self, records: int) -> Ranked:
        """So many new records, whose numbers are those of their own ranks."""
        none = Table({}, records)
        bare = Job(self.job.streams.by_rank(), none, none)
        blocks = MadeBlocks(self.blocks.passing, bare, records)
        job = replace(bare, engine=Asking(blocks.gather))
        return Ranked(none, job, OnDisk(blocks, job, records, self.folder))

    def _new(self, what: str) -> FilePath:
        """A folder for one column."""
        (self.folder / what).mkdir(exist_ok=True)
        return FilePath(mkdtemp(dir=self.folder / what))


def _columns(
    of: Rows, words: Sequence[Streams | None], numbers: Sequence[int], block: Table, its: Job
) -> dict[int, Placed]:
    X, places = of(block, its), its.streams.places(block.rows)
    return {number: placed(X[:, number], places, words[number]) for number in numbers}


@dataclass(frozen=True)
class HeldColumn:
    """A column of numbers that are held on disk; a gap for records that have none."""

    held: Held

    def __call__(self, block: Table, its: Job) -> Floats:
        """The numbers of some records, whose places rise."""
        found = np.full((block.rows, 1), np.nan)
        if block.rows:
            places = its.streams.places(block.rows)
            rows = self.held.rows(int(places[0]), int(places[-1]) + 1)
            there: Ints = rows[PLACE].to_numpy()
            at = np.searchsorted(places, there)
            own = places[np.minimum(at, block.rows - 1)] == there
            found[at[own], 0] = rows["0"].to_numpy()[own]
        return found
