"""The keys of one file: classes of records with equal keys, and their values in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from microveil.core.arrays import AnyArray, Floats, Ints
from microveil.core.words import list_all
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values


@dataclass(frozen=True)
class KeyClasses:
    """Records with equal keys as one class each: their codes, how many they are and how many people they stand for.

    `label` is the class of every record, `first` the first record of every class. A missing value is a value of its
    own, with code -1.
    """

    codes: Ints
    size: Ints
    people: Floats
    label: Ints
    first: Ints

    @classmethod
    def of(cls, codes: Ints, weights: Floats | None) -> KeyClasses:
        """The classes of the rows of a table of codes."""
        from microveil.kernels.tables.classes import first_rows, group_rows

        label, size = group_rows(codes)
        first = first_rows(label, len(size))
        people = size.astype(np.float64) if weights is None else _sums(label, weights)
        return cls(codes[first], size, people, label, first)

    def regrouped(self, codes: Ints) -> tuple[Ints, Floats]:
        """Sizes and people when the classes have other codes, fewer columns or coarser values."""
        from microveil.kernels.tables.classes import group_rows

        label, _ = group_rows(codes)
        return _sums(label, self.size).astype(np.int64), _sums(label, self.people)


def _sums(label: Ints, amounts: AnyArray) -> Floats:
    return np.asarray(np.bincount(label, weights=amounts), dtype=np.float64)


@dataclass(frozen=True)
class KeyWords:
    """The keys of a file and how their values are called: by the label of a code where the file has one.

    Labels are found by the text of a code, since a release may hold codes as text.
    """

    table: Table
    labels: dict[str, dict[str, str]]

    @classmethod
    def of(cls, data: Microdata, keys: Sequence[str]) -> KeyWords:
        """The words for these keys."""
        known = {} if data.codebook is None else data.codebook.labels
        labels = {key: {number_text(code): text for code, text in known.get(key, {}).items()} for key in keys}
        return cls(data.table(keys), labels)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the keys."""
        return self.table.names

    def value(self, key: str, row: int) -> str:
        """The value of a key in one record, in words."""
        cells = self.table[key]
        if cells.missing[row]:
            return "missing"
        cell = cells.data[row]
        return self.level(key, float(cell) if cells.levels is None else cells.levels[int(cell)])

    def level(self, key: str, level: Any) -> str:
        """A value of a key in words."""
        text = number_text(level)
        return self.labels[key].get(text, text)

    def said(self, row: int, keys: Sequence[str] | None = None) -> str:
        """What a record has in these keys: "roof 9, relat 8 and sex 1"."""
        return list_all([f"{key} {self.value(key, row)}" for key in (self.keys if keys is None else keys)])

    def frequencies(self, key: str) -> list[tuple[str, int]]:
        """Each value of a key with the number of its records, the most frequent first; missing ones last."""
        cells = self.table[key]
        levels, counts = _count_values(cells)
        order = np.argsort(-counts, kind="stable")
        found = [(self.level(key, levels[i]), int(counts[i])) for i in order if counts[i]]
        gaps = int(cells.missing.sum())
        return [*found, ("missing", gaps)] if gaps else found


def _count_values(cells: Values) -> tuple[Sequence[Any], Ints]:
    if cells.levels is None:
        numbers, counts = np.unique(cells.data[~cells.missing], return_counts=True)
        return [float(number) for number in numbers], counts
    return cells.levels, np.bincount(cells.data[cells.data >= 0], minlength=len(cells.levels))


def number_text(value: Any) -> str:
    """A value as it stands in the file; whole numbers without decimals.

    >>> number_text(46.0), number_text(0.25), number_text("north")
    ('46', '0.25', 'north')
    """
    if not isinstance(value, float):
        return str(value)
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else f"{value:.15g}"
