"""A random part of the records, wherever they are: what cannot be summed up is learnt from it in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.data.extremes import SeenEnds
from microveil.data.table import Table, Values
from microveil.kernels.summaries.counts import Counts
from microveil.run.afar import Afar
from microveil.run.job import Job

_WORDS = ("part", 0)  # the path of the numbers that choose: columns draw by their names
_SPARE = 6.0  # standard deviations of how many records have small numbers: enough of them are always at hand


@dataclass(frozen=True)
class RandomPart:
    """Some of the records in the order of the file, and what all of them are held against.

    `places` are where they stand; `ends` and `counts` are of all records: the amounts that are replaced, and all
    columns of categories.
    """

    places: Ints
    table: Table
    given: Table
    ends: Mapping[str, SeenEnds]
    counts: Mapping[str, Counts]

    @classmethod
    def of(cls, records: Afar, most: int) -> RandomPart:
        """So many records, drawn by their places, in one pass; all, where there are no more."""
        share = min(1.0, (most + _SPARE * np.sqrt(most)) / max(records.records, 1))

        def look(block: Table, its: Job) -> _Seen:
            numbers = its.streams.at(*_WORDS).uniforms(0, block.rows)[:, 0]
            rows = np.flatnonzero(numbers <= share)
            places = its.streams.places(block.rows)[rows]
            some = _Some(numbers[rows], places, block.take(rows), its.given.take(rows))
            columns = {**its.given.columns, **block.columns}
            amounts = {name: one for name, one in block.columns.items() if one.levels is None}
            coded = {name: one for name, one in columns.items() if one.levels is not None}
            return _Seen(
                (some,),
                {name: SeenEnds.of(values.numbers) for name, values in amounts.items()},
                {name: Counts.of(values.data, len(values.levels or ())) for name, values in coded.items()},
            )

        return records.job.engine.gather(records.table, records.job, look).part(most)

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
class _Some:
    numbers: Floats
    places: Ints
    table: Table
    given: Table


@dataclass(frozen=True)
class _Seen:
    """Records with small numbers, by blocks, and ends and counts of all."""

    some: tuple[_Some, ...]
    ends: Mapping[str, SeenEnds]
    counts: Mapping[str, Counts]

    def merge(self, other: _Seen) -> _Seen:
        return _Seen(
            self.some + other.some,
            {name: one.merge(other.ends[name]) for name, one in self.ends.items()},
            {name: one.merge(other.counts[name]) for name, one in self.counts.items()},
        )

    def part(self, most: int) -> RandomPart:
        """The records with the smallest numbers."""
        numbers, places = (np.concatenate([getattr(one, what) for one in self.some]) for what in ("numbers", "places"))
        chosen = np.lexsort((places, numbers))[:most]
        chosen = chosen[np.argsort(places[chosen])]
        table, given = (_joined([getattr(one, what) for one in self.some], chosen) for what in ("table", "given"))
        return RandomPart(places[chosen], table, given, self.ends, self.counts)


def _joined(tables: list[Table], rows: Ints) -> Table:
    def column(name: str) -> Values:
        return tables[0][name].with_data(np.concatenate([table[name].data for table in tables])[rows])

    return Table({name: column(name) for name in tables[0].names}, len(rows))
