"""A random part of the records of a file, fetched in one pass: whoever fits a model on it has it in one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from microveil.core.arrays import AnyArray, Ints, Words
from microveil.data.table import Table
from microveil.kernels.summaries.extremes import Extremes
from microveil.run.job import Job

T = TypeVar("T")
StreamPath = tuple[str | int, ...]

_SPARE = 8.0  # standard deviations of the number of records drawn, by which more are drawn than wanted


@dataclass(frozen=True)
class RandomPart:
    """The records with the smallest random words, at most so many, and what all records say of ends and categories.

    Equal words, one pair in 2^64, stand in the order of the file. So the part follows from the key and the records
    alone, whichever blocks they came in.
    """

    most: int
    words: Words
    places: Ints
    table: Mapping[str, AnyArray]
    given: Mapping[str, AnyArray]
    seen: Mapping[str, Ints]  # codes of categories among the columns given, -1 for a gap
    gaps: Mapping[str, bool]  # whether a column of the table has any
    ends: Extremes  # of the numbers of the table
    _made: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def of(cls, table: Table, job: Job, most: int, path: StreamPath, share: float = 1.0) -> RandomPart:
        """That of some records; `path` leads to their words, of which those beyond a share are not looked at."""
        words = job.streams.at(*path).words(0, table.rows)[:, 0]
        rows = np.flatnonzero(words.astype(np.float64) <= share * 2.0**64)
        return cls(
            most,
            words[rows],
            job.streams.places(table.rows)[rows],
            {name: values.data[rows] for name, values in table.columns.items()},
            {name: values.data[rows] for name, values in job.given.columns.items()},
            {name: np.unique(values.data) for name, values in job.given.columns.items() if values.levels is not None},
            {name: bool(values.missing.any()) for name, values in table.columns.items()},
            Extremes.of(table.matrix([name for name in table.names if table[name].levels is None])),
        )._smallest()

    def merge(self, other: RandomPart) -> RandomPart:
        """That of the records of both."""
        return RandomPart(
            self.most,
            np.concatenate([self.words, other.words]),
            np.concatenate([self.places, other.places]),
            {name: np.concatenate([data, other.table[name]]) for name, data in self.table.items()},
            {name: np.concatenate([data, other.given[name]]) for name, data in self.given.items()},
            {name: np.union1d(codes, other.seen[name]) for name, codes in self.seen.items()},
            {name: some or other.gaps[name] for name, some in self.gaps.items()},
            self.ends.merge(other.ends),
        )._smallest()

    def _smallest(self) -> RandomPart:
        """The same of no more records than are wanted, in the order of the file."""
        chosen = np.zeros(len(self.words), dtype=np.bool_)
        chosen[np.lexsort((self.places, self.words))[: self.most]] = True
        order = np.flatnonzero(chosen)
        order = order[np.argsort(self.places[order], kind="stable")]
        return replace(
            self,
            words=self.words[order],
            places=self.places[order],
            table={name: data[order] for name, data in self.table.items()},
            given={name: data[order] for name, data in self.given.items()},
        )

    def columns(self, like: Table) -> Table:
        """The records of the part, as columns of the table."""
        return _filled(like, self.table, len(self.words))

    def kept(self, like: Table) -> Table:
        """The records of the part, as columns that were given beside the table."""
        return _filled(like, self.given, len(self.words))

    def once(self, what: str, make: Callable[[], T]) -> T:
        """What is made of the part, made once: who asks the file a second question begins again with the first."""
        if what not in self._made:
            self._made[what] = make()
        found: T = self._made[what]
        return found


def gather_part(table: Table, job: Job, most: int, name: str) -> RandomPart:
    """A random part of all records, of at most so many; `name` leads to the words that draw it.

    Of a large file little more than the part is sent on the way; that this holds fewer records than it may has a chance
    of one in 10^15.
    """
    share = share_looked_at(most, table.rows)
    return job.engine.gather(table, job, lambda block, its: RandomPart.of(block, its, most, (name,), share))


def share_looked_at(most: int, records: int) -> float:
    """The share of the words among which the smallest of so many records certainly are."""
    return min(1.0, (most + _SPARE * (math.sqrt(most) + _SPARE)) / max(1, records))


def _filled(like: Table, data: Mapping[str, AnyArray], rows: int) -> Table:
    return Table({name: like[name].with_data(array) for name, array in data.items()}, rows)
