"""Common bins of an original and a protected column, robust to heavy tails."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.core.numbers import format_number
from microveil.report.chart_room import Room
from microveil.report.chart_svg import nice_step

# fewer original records than this are never shown apart at the ends of the range
LEAST_RECORDS = 5
_TAIL = 0.005
_COUNT = 24


@dataclass(frozen=True)
class Bins:
    """Inner edges, shares in the inner bins, shares below and above, of the records that have a value.

    `scale` is None for equal bins; otherwise bins are equal in arcsinh(x / scale), which is logarithmic
    for large values of either sign and linear near zero.
    """

    edges: Floats
    before: Floats
    after: Floats
    below: tuple[float, float]
    above: tuple[float, float]
    scale: float | None
    whole: bool
    missing: tuple[float, float] = (0.0, 0.0)
    given: Room = field(default_factory=Room)

    @property
    def has_below(self) -> bool:
        """Whether any record lies below the inner bins, here or in a chart beside this one."""
        return bool(max(self.below) > 0) or self.given.below

    @property
    def has_above(self) -> bool:
        """Whether any record lies above the inner bins, here or in a chart beside this one."""
        return bool(max(self.above) > 0) or self.given.above

    @property
    def has_missing(self) -> bool:
        """Whether any record has no value, here or in a chart beside this one."""
        return bool(max(self.missing) > 0) or self.given.missing

    @property
    def room(self) -> Room:
        """What these bins need."""
        top = max(self.before.max(), self.after.max(), *self.below, *self.above, *self.missing)
        return Room(float(top), self.has_below, self.has_above, self.has_missing) | self.given

    def of_all_records(self, missing: tuple[float, float]) -> Bins:
        """The same bins with shares of all records, these shares of which have no value."""
        b, a = (1 - share for share in missing)
        below, above = ((ends[0] * b, ends[1] * a) for ends in (self.below, self.above))
        return replace(self, before=self.before * b, after=self.after * a, below=below, above=above, missing=missing)

    def label(self, edge: float) -> str:
        """An edge for people; bins of whole numbers are named by the number inside."""
        return format_number(edge + 0.5 if self.whole else edge, short=True)


def common_bins(before: Floats, after: Floats) -> Bins | None:
    """Bins over the central 99 % of the original, or None where there are too few records to show.

    The ends of the range are moved inwards until at least five original records lie beyond them, so that
    no bar and no label shows a single extreme record.
    """
    seen = before[np.isfinite(before)]
    after = after[~np.isnan(after)]
    if len(seen) < 4 * LEAST_RECORDS:
        return None
    tail = max(_TAIL, LEAST_RECORDS / len(seen))
    low, high = (float(q) for q in np.quantile(seen, [tail, 1 - tail], method="inverted_cdf"))
    original = before[~np.isnan(before)]
    whole = bool((seen == np.round(seen)).all()) and high - low <= 2 * _COUNT
    scale = None
    # beyond the twelfth digit and below 1e-300 differences are those of the computer, not of the data
    if high - low <= max(1e-300, 1e-12 * max(abs(low), abs(high))):
        whole, edges = False, _around(low)
    elif whole:
        edges = np.arange(low, high + 2) - 0.5
    else:
        edges = _linear_edges(seen, low, high)
        if np.histogram(seen, edges)[0].max() > 0.45 * len(seen):
            edges, scale = _arcsinh_edges(seen, low, high, edges)
    return _count(original, after, _protect_ends(edges, seen), scale, whole)


def _around(value: float) -> Floats:
    half = max(abs(value) / 2, 0.5 if abs(value) < 1e-300 else 0.0)
    return np.array([value - half, value + half])


def _linear_edges(seen: Floats, low: float, high: float) -> Floats:
    # bin width 2 IQR / n^(1/3) of Freedman and Diaconis (1981), within what a small chart can show
    lower, upper = np.quantile(seen, [0.25, 0.75])
    width = 2 * (upper - lower) / len(seen) ** (1 / 3)
    count = np.clip((high - low) / max(width, (high - low) / _COUNT), 10, _COUNT)
    step = nice_step(high - low, int(count))
    return np.asarray(step * np.arange(math.floor(low / step), math.ceil(high / step) + 1), dtype=np.float64)


def _arcsinh_edges(seen: Floats, low: float, high: float, linear: Floats) -> tuple[Floats, float | None]:
    """Edges that grow with the size of the values, or the linear ones where that separates nothing."""
    # around a centre of zero the linear part is wider, or one hump would look like two
    typical = float(np.quantile(np.abs(seen[seen != 0]), 0.5 if low < 0 < high else 0.25))
    scale = 10.0 ** (math.ceil if low < 0 < high else math.floor)(math.log10(typical))
    ends = np.arcsinh(np.array([low, high]) / scale)
    step = (ends[1] - ends[0]) / _COUNT
    # an edge never cuts at zero itself: the zeros are in the middle of one bin
    first = math.floor(ends[0] / step - 0.5)
    count = math.ceil(ends[1] / step + 0.5) - first
    edges = scale * np.sinh(step * (first + 0.5 + np.arange(count + 1)))
    rounded = np.unique([float(f"{edge:.1e}") for edge in edges])
    fullest = [np.histogram(seen, e)[0].max() for e in (rounded, linear)] if len(rounded) > 8 else [1, 0]
    return (rounded, scale) if fullest[0] < fullest[1] else (linear, None)


def _protect_ends(edges: Floats, seen: Floats) -> Floats:
    """Drop edges until what is outermost at either end, the records beyond or the last bin, is five records or more."""
    while len(edges) > 2 and _outermost(seen < edges[0], seen < edges[1]) < LEAST_RECORDS:
        edges = edges[1:]
    while len(edges) > 2 and _outermost(seen >= edges[-1], seen >= edges[-2]) < LEAST_RECORDS:
        edges = edges[:-1]
    return edges


def _outermost(beyond: Bools, in_last_bin: Bools) -> int:
    return int(np.count_nonzero(beyond) or np.count_nonzero(in_last_bin))


def _count(before: Floats, after: Floats, edges: Floats, scale: float | None, whole: bool) -> Bins:
    shares, below, above = [], [], []
    for values in (before, after):
        size = max(len(values), 1)
        inside = values[(values >= edges[0]) & (values < edges[-1])]
        place = np.searchsorted(edges, inside, side="right") - 1
        shares.append(np.bincount(place, minlength=len(edges) - 1) / size)
        below.append(np.count_nonzero(values < edges[0]) / size)
        above.append(np.count_nonzero(values >= edges[-1]) / size)
    return Bins(edges, shares[0], shares[1], (below[0], below[1]), (above[0], above[1]), scale, whole)
