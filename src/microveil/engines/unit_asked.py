"""The unit of a column of a file in blocks: as `microveil.data.units` finds it, question by question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats
from microveil.data import units
from microveil.engines.asking import Ask


@dataclass(frozen=True)
class _Seen:
    """How many values count in each block, by the place of the block, and a few different ones."""

    counts: Mapping[int, int]
    some: Floats

    def merge(self, other: _Seen) -> _Seen:
        return _Seen({**self.counts, **other.counts}, _few(np.concatenate([self.some, other.some])))


def _few(values: Floats) -> Floats:
    return np.unique(values)[: units.FEWEST_DISTINCT].copy()  # a view would hold all of them


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


def find_unit(ask: Ask) -> int | None:
    """As `units.observed_unit`, asking for what it looks at."""
    seen: _Seen = ask(lambda first, values: _Seen({first: len(values)}, _few(values)))
    total = sum(seen.counts.values())
    if not total:
        return 0
    starts = dict(
        zip(
            sorted(seen.counts),
            np.cumsum([0, *(seen.counts[first] for first in sorted(seen.counts))])[:-1],
            strict=True,
        )
    )
    step = units.spacing(total)
    picked: _Picked = ask(lambda first, values: _Picked({first: values[int(-starts[first] % step) :: step].copy()}))
    some = picked.in_order()
    if units.has_more_digits(some):
        return None
    tells_zeros = total >= units.FEWEST_VALUES and len(seen.some) >= units.FEWEST_DISTINCT
    coarsest = units.COARSEST if tells_zeros else 0
    guess, settled = units.guess_unit(some, coarsest)
    near: _Multiples = ask(lambda _, values: _count(values, (guess, guess + 1)))
    if near.counts[guess] / total >= units.BULK and (settled or near.counts[guess + 1] / total < units.BULK):
        return guess
    every: _Multiples = ask(lambda _, values: _count(values, range(units.FINEST, coarsest + 1)))
    if every.counts[units.FINEST] / total < units.BULK:
        return None
    return units.coarsest_bulk(lambda unit: every.counts[unit] / total, coarsest)


def _count(values: Floats, wanted: Iterable[int]) -> _Multiples:
    return _Multiples({unit: units.count_multiples(values, unit) for unit in wanted})
