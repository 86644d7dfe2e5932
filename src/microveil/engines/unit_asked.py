"""The unit of a column of a file in blocks: as `microveil.data.units` finds it, question by question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats
from microveil.data import units
from microveil.engines.asking import Ask

_LOOKED_AT = 1_000


@dataclass(frozen=True)
class _Seen:
    """How many values count in each block, by the place of the block, and a few different ones."""

    counts: Mapping[int, int]
    some: Floats

    def merge(self, other: _Seen) -> _Seen:
        return _Seen({**self.counts, **other.counts}, _few(np.concatenate([self.some, other.some])))


def _few(values: Floats) -> Floats:
    """As many different values as tell that there are enough, if there are; a look at some settles it for most."""
    for some in (values[:_LOOKED_AT], values):
        found = np.unique(some)[: units.FEWEST_DISTINCT].copy()  # a view would hold all of them
        if len(found) == units.FEWEST_DISTINCT:
            break
    return found


@dataclass(frozen=True)
class _Picked:
    """Values at stated places, by the place of their block."""

    values: Mapping[int, Floats]

    def merge(self, other: _Picked) -> _Picked:
        return _Picked({**self.values, **other.values})

    def in_order(self) -> Floats:
        return np.concatenate([self.values[first] for first in sorted(self.values)])


@dataclass(frozen=True)
class _Multiples:
    """How many values are multiples of each power of ten."""

    counts: Mapping[int, int]

    def merge(self, other: _Multiples) -> _Multiples:
        return _Multiples({unit: count + other.counts[unit] for unit, count in self.counts.items()})


@dataclass(frozen=True)
class UnitLook:
    """What a first look at a column tells of its unit, so that few questions are left.

    Values are picked as if none were zero or missing, and multiples counted of what the unit is likely to be.
    """

    rows: int
    seen: _Seen
    picked: _Picked
    near: _Multiples

    @classmethod
    def of(cls, first: int, values: Floats, records: int, likely: int | None) -> UnitLook:
        """The values of one block of a file of so many records."""
        counted = values if values.all() and np.isfinite(values).all() else units.values_that_count(values)
        step = units.spacing(records)
        return cls(
            len(values),
            _Seen({first: len(counted)}, _few(counted)),
            _Picked({first: values[-first % step :: step].copy()}),
            _count(counted, () if likely is None else (likely, likely + 1)),
        )

    def merge(self, other: UnitLook) -> UnitLook:
        """Of the values of both."""
        return UnitLook(
            self.rows + other.rows,
            self.seen.merge(other.seen),
            self.picked.merge(other.picked),
            self.near.merge(other.near),
        )


def find_unit(ask: Ask, look: UnitLook | None = None) -> int | None:
    """As `units.observed_unit`, asking for what it looks at and was not seen in a first look."""
    seen: _Seen = ask(lambda first, values: _Seen({first: len(values)}, _few(values))) if look is None else look.seen
    total = sum(seen.counts.values())
    if not total:
        return 0
    some = look.picked.in_order() if look is not None and look.rows == total else _pick(ask, seen.counts, total)
    if units.has_more_digits(some):
        return None
    tells_zeros = total >= units.FEWEST_VALUES and len(seen.some) >= units.FEWEST_DISTINCT
    coarsest = units.COARSEST if tells_zeros else 0
    guess, settled = units.guess_unit(some, coarsest)
    if look is not None and guess in look.near.counts and guess + 1 in look.near.counts:
        near = look.near
    else:
        near = ask(lambda _, values: _count(values, (guess, guess + 1)))
    if near.counts[guess] / total >= units.BULK and (settled or near.counts[guess + 1] / total < units.BULK):
        return guess
    every: _Multiples = ask(lambda _, values: _count(values, range(units.FINEST, coarsest + 1)))
    if every.counts[units.FINEST] / total < units.BULK:
        return None
    return units.coarsest_bulk(lambda unit: every.counts[unit] / total, coarsest)


def _pick(ask: Ask, counts: Mapping[int, int], total: int) -> Floats:
    """Some of the values that count, evenly spaced among them; blocks begin where some that were counted do."""
    places = np.array(sorted(counts))
    before = np.cumsum([0, *(counts[first] for first in places.tolist())])
    step = units.spacing(total)

    def some(first: int, values: Floats) -> _Picked:
        start = int(before[np.searchsorted(places, first)])
        return _Picked({first: values[-start % step :: step].copy()})

    picked: _Picked = ask(some)
    return picked.in_order()


def _count(values: Floats, wanted: Iterable[int]) -> _Multiples:
    return _Multiples({unit: units.count_multiples(values, unit) for unit in wanted})
