"""Figures over records of which rows stand for several each: the same from rows as from the records one by one."""

from __future__ import annotations

import math

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints


def count_records(flags: Bools, records: Ints | None = None) -> int:
    """How many records the marked rows stand for; `records` None: one each."""
    return int(np.count_nonzero(flags)) if records is None else int(records[flags].sum())


def all_records(rows: int, records: Ints | None = None) -> int:
    """How many records all rows stand for."""
    return rows if records is None else int(records.sum())


def sum_over_records(values: Floats, records: Ints | None = None) -> float:
    """The sum of a figure over records: each different value once, times how many have it, rounded once at the end.

    So it depends neither on the order of the records nor on how they were counted.
    """
    found, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    if records is not None:
        counts = np.zeros(len(found), dtype=np.int64)
        np.add.at(counts, where.reshape(-1), records)
    return math.fsum((found * counts).tolist())


def share_of_records(flags: Bools, records: Ints | None = None) -> float:
    """The per cent of records that are marked."""
    return 100.0 * (count_records(flags, records) / all_records(len(flags), records))


def mean_over_records(values: Floats, records: Ints | None = None) -> float:
    """The mean of a figure over records."""
    return sum_over_records(values, records) / all_records(len(values), records)
