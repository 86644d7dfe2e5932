"""Which records lose which cells, from what becomes of the different rows of the keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Ints
from microveil.data.table import Table
from microveil.kernels.summaries.smallest import FirstPlaces
from microveil.kernels.suppression.pieces import Pieces
from microveil.run.counted import KeyRows
from microveil.run.job import Job

_LAST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Suppressed:
    """The pieces of every row of the keys: where the first stands, and up to which place of the file each reaches.

    Of equal records those that stand first in the file lose cells with others; which of them does tells nothing, since
    all have the same keys.
    """

    keys: KeyRows
    first: Ints
    up_to: Ints
    lost: Bools
    notes: tuple[str, ...]

    @classmethod
    def of(cls, keys: KeyRows, pieces: Pieces, notes: tuple[str, ...], table: Table, job: Job) -> Suppressed:
        """From the pieces of the rows; where a row has several, its first records are asked for."""
        rows = len(keys.rows.counts)
        number = np.bincount(pieces.of, minlength=rows)
        first = np.cumsum(number) - number
        up_to = np.full(len(pieces.of), _LAST)
        split = number > 1
        if split.any():
            ends = np.setdiff1d(np.flatnonzero(split[pieces.of]), first + number - 1)  # the last piece has no end
            before = np.cumsum(pieces.times) - pieces.times
            ranks = (before + pieces.times - before[first][pieces.of])[ends]  # records up to each, from the first on
            needed = np.zeros(rows, dtype=np.int64)
            needed[pieces.of[ends]] = ranks  # the last of a row counts
            found = _first_places(keys, needed, table, job)
            up_to[ends] = found.places[np.searchsorted(found.groups, pieces.of[ends]) + ranks - 1]
        return cls(keys, first, up_to, pieces.cells, notes)

    def cells(self, table: Table, job: Job) -> Bools:
        """Which cells of the keys some records lose."""
        piece, places = self.first[self.keys.places(table)], job.streams.places(table.rows)
        while (beyond := places > self.up_to[piece]).any():
            piece = piece + beyond
        return np.asarray(self.lost[piece])


def _first_places(keys: KeyRows, needed: Ints, table: Table, job: Job) -> FirstPlaces:
    """Where the first records of some rows stand, as many as are needed of each."""
    names = tuple(keys.coding.columns)

    def of(some: Table, its: Job) -> FirstPlaces:
        rows, places = keys.places(some.only(names)), its.streams.places(some.rows)
        asked = needed[rows] > 0
        return FirstPlaces.of(rows[asked], places[asked], needed)

    return job.engine.gather(table, job, of)
