"""Engines: how parts of a file are run, and how what is to be known of all its records is gathered.

A method asks its engine and never learns where the records are. Whatever the engine, the release is the same to the
last bit: draws go by the position of a record in the file, and summaries merge exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from microveil.core.errors import BadInput
from microveil.core.progress import advance, within
from microveil.kernels.summaries.summary import Summary, merge_all

if TYPE_CHECKING:
    from microveil.data.table import Table
    from microveil.run.job import Job
    from microveil.run.parts import Part, Ran, Run

S = TypeVar("S", bound=Summary)

_CHUNK_ROWS = 131_072


@runtime_checkable
class Engine(Protocol):
    """Runs parts, splits rows where each record stands for itself, and gathers summaries."""

    def map(self, parts: Iterable[Part], run: Run, rows: int) -> list[Ran]:
        """What a method makes of each part, in their order; `rows` are those of all parts together."""

    def split(self, rows: int) -> Iterable[slice]:
        """Slices that together are so many rows, each once; an empty one if there is none."""

    def gather(self, table: Table, job: Job, of: Callable[[Table, Job], S]) -> S:
        """The summary of all records of a table, where `of` says it of some of them, with the job cut to these."""


@dataclass(frozen=True)
class LocalEngine:
    """The file in memory: parts one after the other, or several at a time by threads."""

    threads: int = 1
    chunk_rows: int = _CHUNK_ROWS

    def __post_init__(self) -> None:
        for name in ("threads", "chunk_rows"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int) or given < 1:
                raise BadInput(f"{name} must be a whole number of 1 or more; {given!r} was given")

    def map(self, parts: Iterable[Part], run: Run, rows: int) -> list[Ran]:
        """What a method makes of each part; the first error, in their order, is raised."""
        if self.threads == 1:
            return [_run_share(part, run, after, rows) for part, after in _with_ends(parts)]
        alone = replace(self, threads=1)  # the parts of a part are run by the thread that has it
        mine = ((replace(part, job=replace(part.job, engine=alone)), after) for part, after in _with_ends(parts))
        with ThreadPoolExecutor(self.threads) as pool:
            waiting = [pool.submit(copy_context().run, _run_share, part, run, after, rows) for part, after in mine]
            return [one.result() for one in waiting]

    def split(self, rows: int) -> Iterator[slice]:
        """Runs of `chunk_rows` rows."""
        return (slice(start, min(start + self.chunk_rows, rows)) for start in range(0, max(rows, 1), self.chunk_rows))

    def gather(self, table: Table, job: Job, of: Callable[[Table, Job], S]) -> S:
        """The summaries of runs of rows, merged."""
        runs = list(self.split(table.rows))
        if len(runs) == 1:
            return of(table, job)

        def of_run(rows: slice) -> S:
            part = table.take(rows)
            original = part if job.original is table else job.original.take(rows)
            return of(part, job.at_rows(rows, np.arange(*rows.indices(table.rows)), original))

        if self.threads == 1:
            return merge_all(map(of_run, runs))
        with ThreadPoolExecutor(self.threads) as pool:
            return merge_all(pool.map(of_run, runs))


def engine_of(given: Any, chunk_rows: int | None = None) -> Engine:
    """The engine that a caller names or gives."""
    if given == "memory":
        return LocalEngine() if chunk_rows is None else LocalEngine(chunk_rows=chunk_rows)
    if not isinstance(given, Engine) or isinstance(given, type):
        raise BadInput(
            f"engine is {given!r}; give 'memory', 'blocks' or 'spark' for scanned files, or an engine: an object with "
            "map, split and gather"
        )
    if chunk_rows is not None:
        raise BadInput(
            "chunk_rows belongs to engine='memory', and this engine splits rows itself; leave chunk_rows out"
        )
    return given


def _with_ends(parts: Iterable[Part]) -> Iterator[tuple[Part, int]]:
    """Each part with the number of rows up to its end."""
    done = 0
    for part in parts:
        done += len(part.rows)
        yield part, done


def _run_share(part: Part, run: Run, after: int, rows: int) -> Ran:
    """Run a part as its share of the whole work."""
    share = max(rows, 1)
    with within((after - len(part.rows)) / share, after / share):
        ran = part.ran(run)
    advance(after / share)
    return ran
