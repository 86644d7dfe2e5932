"""Rows that stand for several records, of which some may lose cells that others keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Ints


class Pieces(NamedTuple):
    """Parts of rows: the row of each, how many of its records it holds, and which cells they lose.

    Pieces of a row stand beside one another, and the first holds the first of its records.
    """

    of: Ints
    times: Ints
    cells: Bools

    @classmethod
    def whole(cls, shape: tuple[int, ...], times: Ints | None) -> Pieces:
        """Each row as one piece that loses nothing; a row is one record if nothing is said."""
        once = np.ones(shape[0], dtype=np.int64)
        return cls(np.arange(shape[0]), once if times is None else times, np.zeros(shape, dtype=np.bool_))

    def blanked(self, codes: Ints) -> Ints:
        """The codes of each piece, -1 where a cell is lost, given those of the rows."""
        return np.where(self.cells, -1, codes[self.of])

    @property
    def lost(self) -> Ints:
        """How many cells of each column are lost, over all records."""
        return np.asarray((self.cells * self.times[:, None]).sum(axis=0), dtype=np.int64)

    def then(self, found: Pieces, columns: Sequence[int]) -> Pieces:
        """These pieces once more in pieces, which lose cells of some columns more."""
        cells = self.cells[found.of]
        cells[:, columns] |= found.cells
        return Pieces(self.of[found.of], found.times, cells)

    def taken(self, taken: Mapping[int, Sequence[tuple[int, tuple[int, ...]]]]) -> Pieces:
        """With records taken from some pieces, the first ones first: how many, and the columns that they lose."""
        numbers = np.ones(len(self.of), dtype=np.int64)
        for piece, portions in taken.items():
            left = self.times[piece] - sum(records for records, _ in portions)
            numbers[piece] = len(portions) + (left > 0)
        parent = np.repeat(np.arange(len(self.of)), numbers)
        times, cells = self.times[parent], self.cells[parent]
        first = np.cumsum(numbers) - numbers
        for piece, portions in taken.items():
            for place, (records, columns) in enumerate(portions, start=int(first[piece])):
                times[place] = records
                cells[place, list(columns)] = True
            if numbers[piece] > len(portions):
                times[first[piece] + len(portions)] = self.times[piece] - sum(records for records, _ in portions)
        return Pieces(self.of[parent], times, cells)
