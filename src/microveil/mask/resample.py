"""Resampling: averages of bootstrap order statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from microveil.claims import Claim, OrderKept, RangeKept
from microveil.core.arrays import Ints, Vector
from microveil.core.parameters import Range
from microveil.core.streams import Streams
from microveil.mask.base import OrderMask
from microveil.run.by_order import STRETCH, Ordered


@dataclass(frozen=True, kw_only=True)
class Resample(OrderMask, name="resample"):
    """Replace the value of each rank by the average of that rank in `samples` bootstrap samples.

    Use it for a mild change of every value that keeps the order of records and stays inside the range; means
    stay on average and variances shrink a little. Protects little: ranks are untouched.
    """

    samples: Annotated[int, Range(ge=1, le=1000, grid=(1, 3)), "number of bootstrap samples averaged"] = 3

    reference = "Heer 1993; Domingo-Ferrer & Mateo-Sanz 1999"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Order and range."""
        return (OrderKept(), RangeKept())

    def along(self, ordered: Ordered, streams: Streams) -> Iterator[tuple[Ints, Vector]]:
        """The averages along the order."""
        count = ordered.count
        lowest, highest = ordered.values(0, 1), ordered.values(count - 1, count)
        drawn = [
            _Taken(ordered.rising(partial(_draws, streams.at("sample", one), count))) for one in range(self.samples)
        ]
        for start in range(0, count, STRETCH):
            own = ordered.stretch(start, min(start + STRETCH, count))
            samples = (_values_at(ordered, one.take(len(own.ranks))) for one in drawn)
            first = next(samples)
            change = np.zeros(len(own.ranks))
            # differences from one of the samples: equal values average to exactly themselves
            for values in samples:
                change += values - first
            yield own.places, np.clip(first + change / self.samples, lowest, highest)


def _draws(streams: Streams, count: int, start: int, stop: int) -> Ints:
    """Ranks drawn with replacement, one for each of some ranks."""
    return (streams.by_rank().uniforms(start, stop)[:, 0] * count).astype(np.int64)


def _values_at(ordered: Ordered, ranks: Ints) -> Vector:
    first, last = int(ranks[0]), int(ranks[-1])
    return ordered.values(first, last + 1)[ranks - first]


class _Taken:
    """Numbers that come some at a time, taken as many at a time as are wanted."""

    def __init__(self, runs: Iterator[Ints]) -> None:
        self._runs, self._left = runs, np.zeros(0, dtype=np.int64)

    def take(self, count: int) -> Ints:
        """The next ones."""
        held = [self._left]
        have = len(self._left)
        while have < count:
            held.append(next(self._runs))
            have += len(held[-1])
        numbers = np.concatenate(held)
        self._left = numbers[count:]
        return numbers[:count]
