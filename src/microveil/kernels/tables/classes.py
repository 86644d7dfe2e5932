"""Classes of equal integer-coded records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import AnyInts, Ints
from microveil.core.ordering import distinct

_LARGEST_KEY = 2**62


class ValueCounts(NamedTuple):
    """Pairs that occur: their class, their value and their number of records; by class, then by value."""

    classes: Ints
    values: Ints
    counts: Ints


def group_rows(codes: AnyInts) -> tuple[Ints, Ints]:
    """Class label of each row and size of each class; equal rows share a label.

    Labels 0, 1, ... follow the lexicographic order of the rows. Any integer codes, missing included.
    """
    keys, space = _pack(codes.T, len(codes))
    return _compress(keys, space)


def class_counts(columns: Sequence[AnyInts]) -> Ints:
    """How many rows each class of equal rows holds, as `group_rows` says it, from columns that stay apart."""
    keys, space = _pack(columns, len(columns[0]))
    if _is_dense(keys, space):
        counts = np.bincount(keys)
        return counts[counts > 0]
    keys.sort()
    ends = np.flatnonzero(keys[1:] != keys[:-1])
    return np.diff(ends, prepend=-1, append=len(keys) - 1)


def first_rows(labels: Ints, classes: int) -> Ints:
    """The first row of each class, given the class of every row."""
    first = np.empty(classes, dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first


def count_up(labels: Ints, counts: Ints | None, classes: int = 0) -> Ints:
    """The records of each class, given how many records each row stands for (one if nothing is said)."""
    if counts is None:
        return np.bincount(labels, minlength=classes)
    return np.bincount(labels, weights=counts, minlength=classes).astype(np.int64)  # exact up to 2^53 records


def value_counts(labels: Ints, values: Ints, counts: Ints | None = None) -> ValueCounts:
    """Every pair of a class and a value that occurs, with its number of records; `counts` are those of each row."""
    which, sizes = group_rows(np.column_stack([labels, values]))
    first = first_rows(which, len(sizes))
    return ValueCounts(labels[first], values[first], sizes if counts is None else count_up(which, counts))


def _pack(columns: Iterable[AnyInts], records: int) -> tuple[Ints, int]:
    """One whole number per row that orders as the rows do, and the size of its range."""
    keys = np.zeros(records, dtype=np.int64)
    space = 1
    if records == 0:
        return keys, space
    for column in columns:
        low = int(column.min())
        radix = int(column.max()) - low + 1
        if radix > _LARGEST_KEY // records:
            # a range this wide leaves no room for the others: number the values that occur
            column, counts = _compress(column.astype(np.int64), None)
            low, radix = 0, len(counts)
        if space > _LARGEST_KEY // radix:
            keys, counts = _compress(keys, space)
            space = len(counts)
        keys *= radix
        keys += column
        keys -= low
        space *= radix
    return keys, space


def _compress(keys: Ints, space: int | None) -> tuple[Ints, Ints]:
    """Number the distinct keys in increasing order: number of each key, how often each occurs."""
    if space is not None and _is_dense(keys, space):
        counts = np.bincount(keys, minlength=space)
        present = counts > 0
        return (np.cumsum(present) - 1)[keys], counts[present]
    _, labels, counts = distinct(keys)
    return labels, counts


def _is_dense(keys: Ints, space: int) -> bool:
    """Whether a count for each possible key takes not much more room than the keys do."""
    return space <= 4 * len(keys) + 1024
