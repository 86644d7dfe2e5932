"""A systematic sample of records that are not all in memory: those at equal steps along the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Bytes, Floats, Ints, Vector
from microveil.data.table import Table
from microveil.run.method import Job

STRETCH = 1 << 20  # records whose probabilities are cumulated at a time; a multiple of 8


@dataclass(frozen=True)
class Stepped:
    """Records are counted in the order of the file; a record is drawn where their cumulated chance passes a step."""

    size: int
    records: int
    start: float
    cumulated: Floats  # of the records before each stretch
    present: _Present

    @property
    def drawn(self) -> int:
        """How many are drawn."""
        return int(np.floor(_rounded(self.cumulated[-1:])[0] - self.start) - np.floor(0.0 - self.start))

    def among(self, rows: int, job: Job) -> Ints:
        """Which of some records are drawn."""
        numbers = self.present.numbers_of(job.streams.places(rows))
        found = np.zeros(rows, dtype=np.bool_)
        for stretch in np.unique(numbers // STRETCH).tolist():
            own = np.flatnonzero(numbers // STRETCH == stretch)
            found[own] = self._hits(stretch)[numbers[own] % STRETCH]
        return np.flatnonzero(found)

    def _hits(self, stretch: int) -> Bools:
        """Which records of a stretch are drawn."""
        count = min(STRETCH, self.records - stretch * STRETCH)
        total = _rounded(_cumulated(self.cumulated[stretch], self.size / self.records, count))
        return np.asarray(np.floor(total[1:] - self.start) - np.floor(total[:-1] - self.start) > 0, dtype=np.bool_)


def stepped_of(table: Table, job: Job, size: int, start: float) -> Stepped:
    """The sample of so many of the records, from a start between 0 and 1."""
    present = job.engine.gather(table, job, lambda block, its: _Present.of(its.streams.places(block.rows)))
    cumulated = [0.0]
    for first in range(0, table.rows, STRETCH):
        count = min(STRETCH, table.rows - first)
        cumulated.append(float(_cumulated(cumulated[-1], size / table.rows, count)[-1]))
    return Stepped(size, table.rows, start, np.array(cumulated), present.counted())


def _cumulated(before: float, chance: float, count: int) -> Vector:
    """The chance of all records up to each of a stretch, one added after the other as over the whole file."""
    return np.cumsum(np.concatenate([[before], np.full(count, chance)]))


def _rounded(total: Vector) -> Vector:
    return np.asarray(np.round(total, 9))


@dataclass(frozen=True)
class _Present:
    """Which places of the file hold records, as bits of stretches of it, and how many stand before each stretch."""

    bits: Mapping[int, Bytes]
    before: Mapping[int, int]

    @classmethod
    def of(cls, places: Ints) -> _Present:
        """Of some records."""
        bits = {}
        for stretch in np.unique(places // STRETCH).tolist():
            there = np.zeros(STRETCH, dtype=np.bool_)
            there[places[places // STRETCH == stretch] % STRETCH] = True
            bits[stretch] = np.packbits(there)
        return cls(bits, {})

    def merge(self, other: _Present) -> _Present:
        bits = {**self.bits, **other.bits}
        bits |= {stretch: self.bits[stretch] | other.bits[stretch] for stretch in self.bits.keys() & other.bits.keys()}
        return _Present(bits, {})

    def counted(self) -> _Present:
        """The same with the number of records before each stretch."""
        before, total = {}, 0
        for stretch in sorted(self.bits):
            before[stretch] = total
            total += int(np.unpackbits(self.bits[stretch]).sum())
        return _Present(self.bits, before)

    def numbers_of(self, places: Ints) -> Ints:
        """The number of the record at each place, counted from 0 over those that there are."""
        found = np.empty(len(places), dtype=np.int64)
        for stretch in np.unique(places // STRETCH).tolist():
            own = np.flatnonzero(places // STRETCH == stretch)
            upto = np.cumsum(np.unpackbits(self.bits[stretch]), dtype=np.int64)
            found[own] = self.before[stretch] + upto[places[own] % STRETCH] - 1
        return found
