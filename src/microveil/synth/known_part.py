"""What sequential synthesis learns from: a random part of the records, and what all of them are held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints
from microveil.data.extremes import SeenEnds
from microveil.data.table import Table
from microveil.kernels.summaries.counts import Counts
from microveil.run.afar import Afar
from microveil.run.job import Job
from microveil.run.random_part import RandomPart, share_looked_at

_WORDS = ("part", 0)  # the path of the words that choose: columns draw by their names


@dataclass(frozen=True)
class KnownPart:
    """Some of the records in the order of the file.

    `places` are where they stand; `ends` and `counts` are of all records: the amounts that are replaced, and all
    columns of categories.
    """

    places: Ints
    table: Table
    given: Table
    ends: Mapping[str, SeenEnds]
    counts: Mapping[str, Counts]

    @classmethod
    def of(cls, records: Afar, most: int) -> KnownPart:
        """So many records, drawn by their places, in one pass; all, where there are no more."""
        share = share_looked_at(most, records.records)

        def look(block: Table, its: Job) -> _Seen:
            columns = {**its.given.columns, **block.columns}
            amounts = {name: one for name, one in block.columns.items() if one.levels is None}
            coded = {name: one for name, one in columns.items() if one.levels is not None}
            return _Seen(
                RandomPart.of(block, its, most, _WORDS, share),
                {name: SeenEnds.of(values.numbers) for name, values in amounts.items()},
                {name: Counts.of(values.data, len(values.levels or ())) for name, values in coded.items()},
            )

        seen = records.job.engine.gather(records.table, records.job, look)
        table, given = seen.part.columns(records.table), seen.part.kept(records.job.given)
        return cls(seen.part.places, table, given, seen.ends, seen.counts)

    @property
    def records(self) -> int:
        """How many records there are in it."""
        return len(self.places)

    def unseen(self, name: str) -> int:
        """How many categories of a column none of its records has, though others of the file do."""
        values = self.given[name] if name in self.given.columns else self.table[name]
        there = np.bincount(values.data[values.data >= 0], minlength=len(values.levels or ()))
        return int(np.count_nonzero((there == 0) & (self.counts[name].counts > 0)))


@dataclass(frozen=True)
class _Seen:
    """The part of some records, with the ends and counts of all of them."""

    part: RandomPart
    ends: Mapping[str, SeenEnds]
    counts: Mapping[str, Counts]

    def merge(self, other: _Seen) -> _Seen:
        return _Seen(
            self.part.merge(other.part),
            {name: one.merge(other.ends[name]) for name, one in self.ends.items()},
            {name: one.merge(other.counts[name]) for name, one in self.counts.items()},
        )
