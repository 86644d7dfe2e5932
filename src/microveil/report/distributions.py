"""A chart of every column before and after protection, with what is missing, and originals in the released classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.words import counted
from microveil.data.table import Values
from microveil.measure import Pair
from microveil.report.chart_bars import bars_pair, bars_room
from microveil.report.chart_histogram import histogram_pair, histogram_room
from microveil.report.chart_room import Room
from microveil.report.section import Charts, Section, Told

MOST_CHARTS = 12
MOST_CLASSES = 15
# an interval of numbers as methods write it: [5, 7], [15, 30), 1..3, or a single number
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_INTERVAL = re.compile(rf"[\[(]?({_NUMBER})(?:(?:, |\.\.)({_NUMBER}))?[\])]?")


def distribution_charts(pair: Pair, names: Sequence[str]) -> list[str]:
    """One chart for each of the twelve columns whose distributions changed most, those first."""
    ranked = sorted(names, key=lambda name: -distribution_change(pair, name))
    return [distribution_chart(pair, name) for name in ranked[:MOST_CHARTS]]


def distribution_change(pair: Pair, name: str) -> float:
    """How far a distribution moved, from 0 to 1: the largest difference of shares up to a value, or of all categories.

    Gaps count as a value of their own.
    """
    before, after = (table[name] for table in pair.tables([name]))
    both = np.concatenate([before.numbers, after.numbers])
    codes = np.unique(both, return_inverse=True)[1]
    size = int(codes.max(initial=0)) + 1
    parts = (codes[: len(before.data)], codes[len(before.data) :])
    x, y = (np.bincount(part, minlength=size) / max(len(part), 1) for part in parts)
    if before.kind == "nominal" or after.kind == "nominal":
        return float(np.abs(x - y).sum() / 2)
    return float(np.abs(np.cumsum(x - y)).max())


def distribution_chart(pair: Pair, name: str) -> str:
    """One column before and after protection."""
    return _to_draw(pair, name).draw(None)


def distributions_beside(pairs: Sequence[Pair], name: str) -> list[str]:
    """One column in several releases of one original: charts with the same bins and the same scale."""
    drawn = [_to_draw(pair, name) for pair in pairs]
    if len({type(one) for one in drawn}) > 1:  # classes in one release, amounts in another: there is no common scale
        return [one.draw(None) for one in drawn]
    room = reduce(or_, (one.room for one in drawn))
    return [one.draw(room) for one in drawn]


@dataclass(frozen=True, eq=False)
class _Amounts:
    """A column drawn as a histogram."""

    name: str
    before: Floats
    after: Floats
    note: str = ""

    @property
    def room(self) -> Room:
        return histogram_room(self.before, self.after)

    def draw(self, room: Room | None) -> str:
        return histogram_pair(self.name, self.before, self.after, note=self.note, room=room)


@dataclass(frozen=True, eq=False)
class _Classes:
    """A column drawn as bars of its categories."""

    name: str
    categories: Sequence[str]
    before: Ints
    after: Ints
    ordered: bool
    missing: tuple[float, float]
    note: str

    @property
    def room(self) -> Room:
        return bars_room(self.categories, self.before, self.after, ordered=self.ordered, missing=self.missing)

    def draw(self, room: Room | None) -> str:
        return bars_pair(
            self.name,
            self.categories,
            self.before,
            self.after,
            ordered=self.ordered,
            missing=self.missing,
            note=self.note,
            room=room,
        )


def _to_draw(pair: Pair, name: str) -> _Amounts | _Classes:
    before, after = pair.tables([name])
    x, y = before[name], after[name]
    if x.levels is None:
        return _Amounts(name, x.numbers, y.numbers)
    spread = _spread_out(y) if pair.recoded(name) else None
    if spread is not None:
        amounts = pair.before.values(name, "continuous").take(pair.rows_before).numbers
        return _Amounts(name, amounts, spread, "classes spread out")
    if not pair.recoded(name) and _is_many_numbers(x) and _is_many_numbers(y):
        return _Amounts(name, _as_numbers(x), _as_numbers(y))
    note = ""
    if pair.link is not None and _has_new_classes(x, y):
        x, note = _in_released_classes(pair, name, x, y), "the original in the released classes"
    levels = [str(level) for level in y.levels or ()]
    counts = [np.bincount(values.data[values.data >= 0], minlength=len(levels)) for values in (x, y)]
    used = np.flatnonzero(counts[0] + counts[1])
    gaps = (float(x.missing.sum()), float(y.missing.sum()))
    kept = [levels[i] for i in used]
    ordered = x.kind == "ordinal" and not note
    return _Classes(name, kept, counts[0][used], counts[1][used], ordered, gaps, note)


def _is_many_numbers(values: Values) -> bool:
    """Whether categories in order are numbers, and too many for bars, as ages are."""
    levels = values.levels or ()
    numbers = all(isinstance(level, int | float | np.number) and not isinstance(level, bool) for level in levels)
    return values.kind == "ordinal" and len(levels) > MOST_CLASSES and numbers


def _as_numbers(values: Values) -> Floats:
    levels = np.array(values.levels or (), dtype=np.float64)
    return np.where(values.data >= 0, levels[values.data], np.nan)


def _spread_out(classes: Values) -> Floats | None:
    """Amounts spread evenly over the classes of a column; None where classes are few, or no intervals of numbers.

    Groups formed record by record have hundreds of classes that overlap: bars of them cannot be read.
    """
    used = np.unique(classes.data[classes.data >= 0])
    ends = [_INTERVAL.fullmatch(str((classes.levels or ())[code])) for code in used]
    if len(used) <= MOST_CLASSES or not all(ends):
        return None
    out = np.full(len(classes.data), np.nan)
    for code, found in zip(used, ends, strict=True):
        assert found is not None
        low, high = float(found[1]), float(found[2] or found[1])
        rows = np.flatnonzero(classes.data == code)
        out[rows] = low + (high - low) * (np.arange(len(rows)) + 0.5) / len(rows)
    return out


def _has_new_classes(x: Values, y: Values) -> bool:
    """Whether the protected column holds classes that the original does not know."""
    return bool(np.setdiff1d(y.data[y.data >= 0], x.data[x.data >= 0]).size)


def _in_released_classes(pair: Pair, name: str, x: Values, y: Values) -> Values:
    """The original column in the classes of the released one.

    A cell belongs to the class it was released with where that is true and coarser; elsewhere, and where it was
    suppressed, to the class that most cells with its value were released with.
    """
    left, right = pair.linked_rows
    original, released = x.data[left], y.data[right]
    seen = (original >= 0) & (released >= 0)
    width = len(y.levels or ())
    pairs, counts = np.unique(original[seen] * width + released[seen], return_counts=True)
    class_of = np.arange(len(x.levels or ()), dtype=np.int64)  # a value whose every record lost it stays as it is
    order = np.argsort(counts, kind="stable")
    class_of[pairs[order] // width] = pairs[order] % width
    data: Ints = np.where(x.data >= 0, class_of[np.maximum(x.data, 0)], -1)
    if name not in pair.perturbed:
        data[left[seen]] = released[seen]
    return Values(x.kind, data, y.levels)


def _draw(told: Told) -> Charts:
    left = len(told.columns) - MOST_CHARTS
    is_or_are = "is" if left == 1 else "are"
    left_out = f"{counted(left, 'more column')} {is_or_are} not drawn." if left > 0 else ""
    return Charts(tuple(distribution_charts(told.pair, told.columns)), left_out)


DISTRIBUTIONS = Section(
    "Distributions before and after",
    _draw,
    "Grey is the original, blue the protected file. Where values were made coarser, the original is drawn in the "
    "released classes; cells without a value have a bar of their own.",
    side_by_side=True,
)
