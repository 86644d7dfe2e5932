"""Exact values of single records that a release shows: above all the largest and the smallest of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.data.table import Table, Values
from microveil.kernels.tables.classes import count_up

_MOST_DECIMALS = 9  # finer values are not rounded on their way into a file
_ALL_DECIMALS = 15

Ends = dict[str, float]  # which end, and its value


def values_of_one(values: Values, times: Ints | None = None) -> Floats:
    """The values that one record has and no other, in increasing order.

    `times` says how many records stand behind each cell, where these are different rows of a file.
    """
    observed = ~values.missing
    found, which = np.unique(values.numbers[observed], return_inverse=True)
    counts = count_up(which.reshape(-1), None if times is None else times[observed], len(found))
    return np.asarray(found[counts == 1], dtype=np.float64)


def extremes_of_one(values: Values, times: Ints | None = None) -> dict[str, float]:
    """The largest and the smallest value, each if one record alone has it."""
    observed = values.numbers[~values.missing]
    if not len(observed):
        return {}
    ends = {"largest": float(observed.max()), "smallest": float(observed.min())}
    alone = values_of_one(values, times)
    return {which: end for which, end in ends.items() if end in alone}


def tell_published_ends(name: str, values: Values, ends: Floats, times: Ints | None = None) -> tuple[str, ...]:
    """How many of the ends of released intervals are the exact value of a single record, and which extremes are."""
    published = np.intersect1d(values_of_one(values, times), ends)
    if not len(published):
        return ()
    extremes = [which for which, end in extremes_of_one(values, times).items() if end in published]
    records = len(values.data) if times is None else int(times.sum())
    among = f", the {' and the '.join(extremes)} value among them" if extremes else ""
    note = (
        f"ends of intervals of {name} are exact original values: {len(published)} of {records} records have "
        f"a value that nobody shares and that is published{among}"
    )
    return (note,)


def tell_drawn_extremes(before: Table, drawn: Mapping[str, Values]) -> tuple[str, ...]:
    """Which synthetic columns hold the largest or smallest original value that one record alone has."""
    found = {}
    for name, values in drawn.items():
        if name not in before.names or values.levels is not None or before[name].levels is not None:
            continue
        # what is released is no finer than the original
        rounded = np.round(values.numbers, _decimals(before[name].numbers))
        found[name] = [which for which, end in extremes_of_one(before[name]).items() if (rounded == end).any()]
    return tell_ends(found)


def tell_ends(found: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Which ends of which columns synthetic records hold."""
    listed = [f"the {which} value of {name}" for name, ends in found.items() for which in ends]
    if not listed:
        return ()
    return (f"synthetic records hold exact values that one original record alone has: {', '.join(listed)}",)


def ends_alone(least: Floats, largest: Floats) -> Ends:
    """As `extremes_of_one`, from the two least and the two largest values, both rising."""
    ends = {"largest": largest[::-1], "smallest": least}
    return {which: float(one[0]) for which, one in ends.items() if len(one) and not (one[1:] == one[0]).any()}


@dataclass(frozen=True)
class SeenEnds:
    """The two least and the two largest values of a column, both rising, and which decimals its values have."""

    least: Floats
    largest: Floats
    finer: Bools

    @classmethod
    def of(cls, x: Floats) -> SeenEnds:
        """Of some records; gaps are left out."""
        observed = x[~np.isnan(x)]
        return cls(*_two_ends(observed), finer_than(observed))

    def merge(self, other: SeenEnds) -> SeenEnds:
        """Of the records of both."""
        least = _two_ends(np.concatenate([self.least, other.least]))[0]
        largest = _two_ends(np.concatenate([self.largest, other.largest]))[1]
        return SeenEnds(least, largest, self.finer | other.finer)

    def held_by(self, new: Floats) -> list[str]:
        """Which ends that one record alone has are among new values, which are released no finer than the column."""
        rounded = np.round(new, decimals_of(self.finer))
        return [which for which, end in ends_alone(self.least, self.largest).items() if (rounded == end).any()]


def _two_ends(x: Floats) -> tuple[Floats, Floats]:
    if len(x) > 4:
        x = np.concatenate([np.partition(x, 1)[:2], np.partition(x, len(x) - 2)[-2:]])
        return np.sort(x[:2]), np.sort(x[2:])
    rising = np.sort(x)
    return rising[:2], rising[-2:]


def finer_than(x: Floats) -> Bools:
    """Whether any value has more than 0, 1, 2 ... decimals; True of one part of the records is True of all."""
    observed = x[~np.isnan(x)]
    return np.array([(np.round(observed, decimals) != observed).any() for decimals in range(_MOST_DECIMALS)])


def decimals_of(finer: Bools) -> int:
    """The decimals of values, from what is finer than which."""
    return next((decimals for decimals, more in enumerate(finer.tolist()) if not more), _ALL_DECIMALS)


def _decimals(x: Floats) -> int:
    observed = x[~np.isnan(x)]
    for decimals in range(_MOST_DECIMALS):
        if (np.round(observed, decimals) == observed).all():
            return decimals
    return _ALL_DECIMALS
