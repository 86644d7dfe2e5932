"""Who works on the blocks of a file: threads of this process, or others that are given the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar, runtime_checkable

from microveil.core.errors import BadInput
from microveil.core.passes_told import told
from microveil.engines.files import Block, Files
from microveil.engines.in_order import in_order
from microveil.kernels.summaries.summary import Summary, merge_all

R = TypeVar("R")
S = TypeVar("S", bound=Summary)


class Workers(Protocol):
    """Take blocks of rows of files and tell what comes of them; whoever they are, they tell the same."""

    def each(self, files: Files, rows: int, names: Sequence[str] | None, work: Callable[[Block], R]) -> Iterator[R]:
        """What comes of each block of so many rows, in their order; of the columns `names`, None: of all."""

    def gather(self, files: Files, rows: int, names: Sequence[str] | None, of: Callable[[Block], S]) -> S:
        """The summary of all blocks."""

    def look_into(self, folder: Path, numbers: Sequence[int], what: str, work: Callable[[int], R]) -> Iterator[R]:
        """What comes of each file in a folder, by its number and in their order; `what` they are called together."""


@runtime_checkable
class HasWorkers(Protocol):
    """An engine that has others work on blocks."""

    def working(self) -> AbstractContextManager[Workers]:
        """Those who work, for as long as it takes."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process, each with a block at a time."""

    number: int = 1

    def each(self, files: Files, rows: int, names: Sequence[str] | None, work: Callable[[Block], R]) -> Iterator[R]:
        """What comes of each block, in their order."""
        blocks = told(files.blocks(rows, names), "records", files.rows, lambda block: block.table.num_rows)
        return in_order(blocks, work, self.number)

    def gather(self, files: Files, rows: int, names: Sequence[str] | None, of: Callable[[Block], S]) -> S:
        """The summaries of all blocks, merged as they come."""
        return merge_all(self.each(files, rows, names, of))

    def look_into(self, folder: Path, numbers: Sequence[int], what: str, work: Callable[[int], R]) -> Iterator[R]:
        """What comes of each file, in their order."""
        return in_order(told(numbers, what, len(numbers)), work, self.number)


HERE = Threads()


def in_this_process(workers: Workers) -> Threads:
    """The threads among workers; those who work elsewhere send all that they find here at once, so that one does."""
    return workers if isinstance(workers, Threads) else HERE


@dataclass(frozen=True)
class Nobody:
    """What workers are to those who work for them elsewhere: a task has its own blocks and asks for no others."""

    def each(self, *_: object) -> NoReturn:
        """No block is here."""
        raise BadInput("blocks are handed out where the run was started, and nowhere else")

    gather = look_into = each
