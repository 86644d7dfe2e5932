"""Sizes of the classes of equal records in two files."""

from __future__ import annotations

from typing import NamedTuple

from microveil.core.arrays import Ints
from microveil.kernels.tables.classes import group_rows
from microveil.measure import Pair


class ClassSizes(NamedTuple):
    """How many records each class of equal records has, before and after; how many records were left out."""

    before: Ints
    after: Ints
    records: int
    dropped: int


def class_sizes_of(pair: Pair) -> ClassSizes:
    """The classes of a pair on its columns."""
    before, after = pair.own_tables(pair.columns)
    records = len(pair.rows_before)
    gone = records - len(set(pair.linked_rows[0].tolist()))
    return ClassSizes(group_rows(before.codes())[1], group_rows(after.codes())[1], records, gone)
