"""The classes of a node of the lattice, grown from those of a node below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.core.arrays import AnyInts, Bools, Ints, Labels
from microveil.data.class_counts import ClassCounts, add_up
from microveil.data.class_rule import ClassRule
from microveil.kernels.tables.classes import ValueCounts, count_up
from microveil.mask.ladders import Ladder

Levels = tuple[int, ...]

_LARGEST_KEY = 2**62
_MOST_HELD = 20_000_000  # classes and values that are remembered, all nodes together


@dataclass(frozen=True)
class NodeClasses:
    """The classes of records that are equal at a node: a distinct row that stands for each, and what is counted."""

    levels: Levels
    rows: Ints
    counts: ClassCounts

    def of_the_file(self) -> NodeClasses:
        """The classes in which there are records of the file."""
        if self.counts.register is None or (self.counts.sizes > 0).all():
            return self
        there = self.counts.sizes > 0
        return NodeClasses(self.levels, self.rows[there], self.counts.only(there))

    @property
    def cells(self) -> int:
        """How much there is to go through when they are joined further."""
        return len(self.rows) + sum(len(found.counts) for found in self.counts.sensitive)


class LatticeRows:
    """The distinct rows of all keys; classes of some nodes are remembered for those above them.

    Rows that are given may be records, or different rows of a file where the rule says how many records have each.
    `register` holds the codes of the records of a register in each key, which are counted in the classes of the file.
    """

    def __init__(self, ladders: Sequence[Ladder], rule: ClassRule, register: Sequence[Labels] | None = None) -> None:
        from microveil.kernels.generalise.joining import number_keys

        self.ladders = ladders
        self._steps = [[_Step.of(step.lookup) for step in ladder.steps] for ladder in ladders]
        count = len(ladders[0].codes)
        self.records = count if rule.times is None else int(rule.times.sum())
        codes = [ladder.codes for ladder in ladders]
        if register is not None:
            codes = [np.concatenate(both) for both in zip(codes, register, strict=True)]
        labels, first = number_keys(*self._keys_of_records(codes))
        self.of_row = labels[:count]
        width = np.int16 if max(len(ladder.steps[0].lookup) for ladder in ladders) < 2**15 else np.int32
        self.codes: AnyInts = np.column_stack([column[first] for column in codes]).astype(width)
        counts = self._count(self.of_row, len(first), rule)
        if register is not None:
            counts = replace(counts, register=np.bincount(labels[count:], minlength=len(first)))
        bottom = NodeClasses(tuple(0 for _ in ladders), np.arange(len(first)), counts)
        self._values = [len(column.numbers) for column in rule.sensitive]
        self._held = [bottom]
        self._held_levels = np.array([bottom.levels])
        self._held_cells = np.array([bottom.cells])
        self._room = _MOST_HELD - bottom.cells

    @property
    def sizes(self) -> Ints:
        """How many records each distinct row stands for."""
        return self._held[0].counts.sizes

    def classes(self, levels: Levels) -> NodeClasses:
        """The classes at a node."""
        below = np.flatnonzero((self._held_levels <= np.array(levels)).all(axis=1))
        source = self._held[int(below[np.argmin(self._held_cells[below])])]
        if source.levels == levels:
            return source.of_the_file()
        labels, first = self._join(source.rows, levels)
        found = NodeClasses(levels, source.rows[first], self._merge(source.counts, labels, len(first)))
        if 2 * found.cells <= source.cells and found.cells <= self._room:
            self._held.append(found)
            self._held_levels = np.vstack([self._held_levels, levels])
            self._held_cells = np.append(self._held_cells, found.cells)
            self._room -= found.cells
        return found.of_the_file()

    def labels(self, levels: Levels) -> Labels:
        """The class of each distinct row at a node, in the order of its classes."""
        found = self.classes(levels)
        own, first = self._join(np.arange(len(self.codes)), levels)
        # classes grown from others stand in another order: their rows tell which is which
        number = np.full(len(first), -1, dtype=np.int64)
        number[own[found.rows]] = np.arange(len(found.rows))
        return number[own]

    def project(self, levels: Levels, columns: Sequence[int]) -> Levels:
        """The node at which only some of the columns tell records apart."""
        return tuple(level if j in columns else self.ladders[j].top for j, level in enumerate(levels))

    def join(self, rows: Ints, levels: Levels) -> Labels:
        """The class of each of these distinct rows at a node."""
        return self._join(rows, levels)[0]

    def order(self, rows: Ints, levels: Levels) -> Ints:
        """The place of each of these distinct rows by its keys at a node, whatever the order of the records."""
        keys = [self._steps[j][level].lookup[self.codes[rows, j]] for j, level in enumerate(levels)]
        place = np.empty(len(rows), dtype=np.int64)
        place[np.lexsort(keys[::-1])] = np.arange(len(rows))
        return place

    def merge_some(self, counts: ClassCounts, kept: Bools, labels: Labels) -> tuple[Labels, ClassCounts]:
        """Some classes joined by their labels: the new number of each of them, and what is counted."""
        present, own = np.unique(labels[kept], return_inverse=True)
        return own.reshape(-1), self._merge(counts.only(kept), own.reshape(-1), len(present))

    def of_rows(self, of_distinct: Bools) -> Bools:
        """What is said of distinct rows of the keys, for every row that was given."""
        return np.asarray(of_distinct[self.of_row])

    def _join(self, rows: Ints, levels: Levels) -> tuple[Labels, Ints]:
        """Which of these distinct rows are equal at a node: the class of each, and the first row of each class."""
        from microveil.kernels.generalise.joining import number_keys, row_keys

        chosen = [j for j, level in enumerate(levels) if self._steps[j][level].values > 1]
        if not chosen:
            return np.zeros(len(rows), dtype=np.int64), np.zeros(min(len(rows), 1), dtype=np.int64)
        steps = [self._steps[j][levels[j]] for j in chosen]
        tables = np.zeros((len(chosen), max(len(step.lookup) for step in steps)), dtype=np.int64)
        keys: Ints | None = None
        space, start = 1, 0
        for i, step in enumerate(steps):
            if space > _LARGEST_KEY // step.values:
                # more combinations than whole numbers: those of the columns so far are numbered first
                keys, space = self._packed(keys, space, rows, chosen[start:i], tables[start:i])
                start = i
            tables[i, : len(step.lookup)] = step.lookup * space
            space *= step.values
        packed = row_keys(self.codes, rows, np.array(chosen[start:]), tables[start:])
        return number_keys(packed if keys is None else packed + keys, space)

    def _packed(
        self, before: Ints | None, space: int, rows: Ints, columns: Sequence[int], tables: Ints
    ) -> tuple[Ints, int]:
        from microveil.kernels.generalise.joining import number_keys, row_keys

        keys = row_keys(self.codes, rows, np.array(columns), tables)
        labels, first = number_keys(keys if before is None else keys + before, space)
        return labels, len(first)

    def _keys_of_records(self, codes: Sequence[Labels]) -> tuple[Ints, int]:
        """One whole number for each record that tells distinct rows apart."""
        from microveil.kernels.generalise.joining import number_keys

        keys, space = np.zeros(len(codes[0]), dtype=np.int64), 1
        for ladder, column in zip(self.ladders, codes, strict=True):
            values = len(ladder.steps[0].lookup)
            if space > _LARGEST_KEY // values:
                keys, first = number_keys(keys, space)
                space = len(first)
            keys = keys + column * space
            space *= values
        return keys, space

    def _count(self, labels: Labels, classes: int, rule: ClassRule) -> ClassCounts:
        times = np.ones(len(labels), dtype=np.int64) if rule.times is None else rule.times
        sensitive = tuple(_pairs(labels, column.codes, times, len(column.numbers)) for column in rule.sensitive)
        people = None if rule.weights is None else rule.weights * times
        return ClassCounts(count_up(labels, times, classes), add_up(labels, people, classes), sensitive)

    def _merge(self, counts: ClassCounts, labels: Labels, classes: int) -> ClassCounts:
        sizes = np.bincount(labels, weights=counts.sizes, minlength=classes).astype(np.int64)
        pairs = (
            _pairs(labels[found.classes], found.values, found.counts, values)
            for found, values in zip(counts.sensitive, self._values, strict=True)
        )
        register = None
        if counts.register is not None:
            register = np.bincount(labels, weights=counts.register, minlength=classes).astype(np.int64)
        return ClassCounts(sizes, add_up(labels, counts.weights, classes), tuple(pairs), register)


@dataclass(frozen=True)
class _Step:
    """Generalised codes from 0, and how many there are."""

    lookup: Ints
    values: int

    @classmethod
    def of(cls, lookup: Ints) -> _Step:
        return cls(lookup, int(lookup.max(initial=0)) + 1)


def _pairs(classes: Labels, values: Labels, counts: Ints, distinct: int) -> ValueCounts:
    """Equal pairs of a class and a value counted together."""
    from microveil.kernels.generalise.joining import number_keys

    labels, first = number_keys(classes * distinct + values, 0)
    return ValueCounts(
        classes[first], values[first], np.bincount(labels, weights=counts, minlength=len(first)).astype(np.int64)
    )
