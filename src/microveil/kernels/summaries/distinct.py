"""Which combinations of codes occur, and how often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints
from microveil.kernels.tables.classes import first_rows, group_rows


@dataclass(frozen=True)
class Distinct:
    """The combinations that occur, in lexicographic order, with the number of records of each.

    Missing (-1) is a value like any other: leave incomplete records out first if they are not to count.
    """

    rows: Ints
    counts: Ints

    @classmethod
    def of(cls, codes: Ints) -> Distinct:
        """The combinations of the rows of a matrix of codes."""
        return cls._of(codes, np.ones(len(codes), dtype=np.int64))

    @classmethod
    def _of(cls, codes: Ints, counts: Ints) -> Distinct:
        labels, sizes = group_rows(codes)
        totals = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(totals, labels, counts)
        return cls(np.asarray(codes[first_rows(labels, len(sizes))], dtype=np.int64), totals)

    def merge(self, other: Distinct) -> Distinct:
        """The combinations of the records of both."""
        return self._of(np.concatenate([self.rows, other.rows]), np.concatenate([self.counts, other.counts]))

    def places(self, codes: Ints) -> Ints:
        """Which of the combinations each row is; all rows must be among them."""
        # put together they are as many as before, so that their numbers are those of the combinations
        return group_rows(np.concatenate([self.rows, codes]))[0][len(self.rows) :]
