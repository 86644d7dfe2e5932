"""Rows of columns of any kind as a few whole numbers, which order as the rows do, and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.ordering import stable_order
from microveil.data.table import Table, Values

_LARGEST_WORD = 2**62


@dataclass(frozen=True)
class ColumnCoding:
    """A column without records, and the different values of amounts in rising order; 0 is the code of a gap."""

    header: Values
    numbers: Floats | None = None

    @property
    def size(self) -> int:
        """How many codes there are."""
        return 1 + len(self.header.levels or () if self.numbers is None else self.numbers)

    def codes(self, values: Values) -> Ints:
        """The code of each cell; all values must be among those that are known."""
        if self.numbers is None:
            return np.asarray(values.data + 1, dtype=np.int64)
        # in rising order: looking up a million numbers as they come takes four times as long
        codes, order = np.empty(len(values.data), dtype=np.int64), stable_order(values.numbers)
        codes[order] = 1 + np.searchsorted(self.numbers, values.numbers[order])
        return np.where(values.missing, 0, codes)

    def values(self, codes: Ints) -> Values:
        """The cells of these codes."""
        if self.numbers is None:
            return self.header.with_data(codes - 1)
        return self.header.with_data(np.append(np.nan, self.numbers)[codes])


@dataclass(frozen=True)
class RowCoding:
    """How the columns of a table become words: columns side by side in a word as long as they have room in it."""

    columns: Mapping[str, ColumnCoding]

    @classmethod
    def of(cls, header: Table, numbers: Mapping[str, Floats]) -> RowCoding:
        """The coding of columns, given the different values of those of amounts."""
        return cls(
            {name: ColumnCoding(values.take(slice(0, 0)), numbers.get(name)) for name, values in header.columns.items()}
        )

    @cached_property
    def _in_words(self) -> Sequence[Sequence[str]]:
        """The columns of each word."""
        words: list[list[str]] = [[]]
        space = 1
        for name, column in self.columns.items():
            if space > _LARGEST_WORD // column.size:
                words.append([])
                space = 1
            words[-1].append(name)
            space *= column.size
        return words

    def words(self, table: Table) -> Ints:
        """The words of each row."""
        found = np.zeros((table.rows, len(self._in_words)), dtype=np.int64)
        for place, names in enumerate(self._in_words):
            for name in names:
                column = self.columns[name]
                found[:, place] *= column.size
                found[:, place] += column.codes(table[name])
        return found

    def table(self, words: Ints) -> Table:
        """The rows of these words."""
        found: dict[str, Values] = {}
        for place, names in enumerate(self._in_words):
            left = words[:, place]
            for name in reversed(names):
                left, codes = np.divmod(left, self.columns[name].size)
                found[name] = self.columns[name].values(codes)
        return Table({name: found[name] for name in self.columns}, len(words))
