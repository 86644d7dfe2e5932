"""The nearest records where the distance is the largest difference over all columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.linkage.partners import in_blocks


class Nearest(NamedTuple):
    """For each sought record the least distance, how many are at it, and these (at most so many) from `start` on."""

    least: Floats
    sizes: Ints
    start: Ints
    candidate: Ints


def nearest_by_largest(asked: Floats, shown: Floats, most: int, rounding: float) -> Nearest:
    """The rows of `shown` whose largest difference from each of `asked` is least, up to rounding.

    A cell that is missing in either says nothing. Searches leave a record at the first column in which it is too far.
    """
    least, sizes = np.full(len(asked), np.inf), np.zeros(len(asked), dtype=np.int64)

    def measure(chosen: Ints) -> None:
        _measure(asked, shown, chosen, rounding, least, sizes)

    in_blocks(measure, np.arange(len(asked)))
    start = np.concatenate([[0], np.cumsum(np.minimum(sizes, most))])
    candidate = np.empty(start[-1], dtype=np.int64)

    def fill(chosen: Ints) -> None:
        _fill(asked, shown, chosen, least + rounding, start, candidate)

    in_blocks(fill, np.arange(len(asked)))
    return Nearest(least, sizes, start, candidate)


@compiled
def _largest(asked: Floats, q: int, shown: Floats, r: int, limit: float) -> float:
    """The largest difference of two records; infinity as soon as it is beyond a limit."""
    largest = 0.0
    for j in range(asked.shape[1]):
        d = abs(asked[q, j] - shown[r, j])
        if d > limit:
            return np.inf
        largest = max(largest, d) if d == d else largest
    return largest


@compiled
def _measure(asked: Floats, shown: Floats, chosen: Ints, rounding: float, least: Floats, sizes: Ints) -> None:
    for q in chosen:
        for r in range(shown.shape[0]):
            d = _largest(asked, q, shown, r, least[q] + rounding)
            if d < least[q] - rounding:
                least[q] = d
                sizes[q] = 1
            elif d < np.inf:
                sizes[q] += 1


@compiled
def _fill(asked: Floats, shown: Floats, chosen: Ints, limit: Floats, start: Ints, candidate: Ints) -> None:
    for q in chosen:
        at = start[q]
        for r in range(shown.shape[0]):
            if at < start[q + 1] and _largest(asked, q, shown, r, limit[q]) < np.inf:
                candidate[at] = r
                at += 1
