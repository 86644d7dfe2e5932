"""Which original values a released class stands for: a range, a set, a node of a hierarchy, or a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.open_types import Cell, Hierarchy
from microveil.data.table import Values
from microveil.measure.pair import Pair

Believe = Callable[[Ints, Ints, int], Bools]  # levels and values of true pairs, and how many levels there are
Members = range | Ints  # the numbers of the values that a class stands for

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_INTERVAL = re.compile(rf"([\[(])\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*([\])])")
_BEYOND = re.compile(rf"(<=|>=|<|>)\s*({_NUMBER})")
_FROM_TO = re.compile(rf"({_NUMBER})\s*(?:-|\u2013)\s*({_NUMBER})")
_AND_MORE = re.compile(rf"({_NUMBER})\s*\+")
_ANYTHING = ("*", "any")
_OR_MISSING = " or missing"


@dataclass(frozen=True)
class Classes:
    """For each released level the original values it stands for.

    Original values are numbered in an order in which the classes are ranges, if there is one: `code` is the number of
    each original cell (-1: missing), `low` and `high` the ends of each released level. Otherwise `holds` tells for
    each released level (row) which values it stands for. `released` is the level of each released cell (-1: missing).
    `silent`: nothing says what some released label stands for, so that it may stand for anything.
    """

    code: Ints
    released: Ints
    values: int
    low: Ints
    high: Ints
    holds: Bools | None = None
    silent: bool = False

    def contains(self, left: Ints, right: Ints) -> Bools:
        """Whether released cells hold original ones, both observed, given by their rows."""
        c, level = self.code[left], self.released[right]
        if self.holds is not None:
            return np.asarray(self.holds[level, c])
        return np.asarray((self.low[level] <= c) & (c <= self.high[level]))

    def ends(self, numbers: Floats) -> tuple[Floats, Floats]:
        """For each released level the least and the largest of the original numbers it stands for; NaN without any."""
        of_code = np.full(self.values, np.nan)
        of_code[self.code[self.code >= 0]] = numbers[self.code >= 0]
        low, high = np.full((2, len(self.low)), np.nan)
        for level in range(len(self.low)):
            held = self.holds[level] if self.holds is not None else slice(max(self.low[level], 0), self.high[level] + 1)
            inside = of_code[held]
            if self.high[level] >= 0 and len(inside):
                low[level], high[level] = np.nanmin(inside), np.nanmax(inside)
        return low, high

    def shares(self) -> Floats:
        """For each released level the share of observed original cells that it stands for."""
        counts = np.bincount(self.code[self.code >= 0], minlength=self.values)
        if self.holds is not None:
            held = self.holds @ counts
        else:
            total = np.concatenate([[0], np.cumsum(counts)])
            held = np.where(
                self.low <= self.high, total[np.maximum(self.high + 1, 0)] - total[np.maximum(self.low, 0)], 0
            )
        return np.asarray(held / max(int(counts.sum()), 1), dtype=np.float64)


def keys_made_coarser(pair: Pair) -> tuple[str, ...]:
    """The columns of a pair released as classes, or with gaps where the original is known: equality finds nobody."""
    before, after = pair.own_tables(pair.columns)
    left, right = pair.linked_rows if pair.link is not None else (np.empty(0, dtype=np.int64),) * 2
    return tuple(
        name
        for name in pair.columns
        if is_made_coarser(before[name], after[name])
        or bool((after[name].missing[right] & ~before[name].missing[left]).any())
    )


def is_made_coarser(before: Values, after: Values) -> bool:
    """Whether a released column shows classes or names that are no values of the original."""
    if after.levels is None:
        return False
    if before.levels is None:
        return True
    shown = np.unique(after.data[after.data >= 0])
    return not {after.levels[code] for code in shown} <= set(before.levels)


def read_classes(before: Values, after: Values, left: Ints, right: Ints, believe: Believe | None = None) -> Classes:
    """The classes of a released column; a number stands for itself.

    A level is read as the value, range, set or node of the hierarchy that its text says; one that says nothing stands
    for the values whose records show it, by the rows `left` of the original and `right` of the release that belong
    together: whoever recodes a column tells how. Where somebody may not have told it (`believe` says of which levels
    the pairs are taken), other levels may stand for anything.
    """
    values, code = _numbered(before)
    text = _Reader(values, before.kind != "nominal", before.hierarchy or {})
    levels, released = _numbered(after)
    found = [text.read(level) for level in levels]
    if any(one is None for one in found):
        seen = _seen(code[left], released[right], len(levels))
        taken = _believed(code[left], released[right], len(levels), believe)
        read = [
            one if one is not None else pairs if told else range(len(values))
            for one, pairs, told in zip(found, seen, taken, strict=True)
        ]
        shown = np.bincount(released[released >= 0], minlength=len(levels)) > 0
        silent = any(one is None for one, lost in zip(found, shown & ~taken, strict=True) if lost)
        return replace(_as_ranges(code, released, len(values), read), silent=silent)
    return _as_ranges(code, released, len(values), [one for one in found if one is not None])


def _believed(code: Ints, released: Ints, levels: int, believe: Believe | None) -> Bools:
    """Of which released levels the pairs are taken for a codebook."""
    if believe is None:
        return np.ones(levels, dtype=np.bool_)
    both = (code >= 0) & (released >= 0)
    return believe(released[both], code[both], levels)


def _seen(code: Ints, released: Ints, levels: int) -> list[Ints]:
    """For each released level the values of the records that show it."""
    both = (code >= 0) & (released >= 0)
    pairs = np.unique(np.column_stack([released[both], code[both]]), axis=0)
    ends = np.searchsorted(pairs[:, 0], np.arange(levels + 1))
    return [pairs[ends[level] : ends[level + 1], 1] for level in range(levels)]


def _numbered(column: Values) -> tuple[tuple[Cell, ...], Ints]:
    """The values of a column in order, and the number of each cell."""
    if column.levels is not None:
        return column.levels, np.asarray(column.data, dtype=np.int64)
    observed = ~column.missing
    values, inverse = np.unique(column.numbers[observed], return_inverse=True)
    code = np.full(len(column.data), -1, dtype=np.int64)
    code[observed] = inverse.reshape(-1)
    return tuple(values.tolist()), code


class _Reader:
    """Reads the texts of classes of one column; members are numbers of values, or a pair of ends."""

    def __init__(self, values: Sequence[Cell], ordered: bool, paths: Hierarchy) -> None:
        self.values, self.ordered = values, ordered
        self.place = {value: i for i, value in enumerate(values)}
        self.by_text = {_text(value): i for i, value in enumerate(values)}
        self.numeric = _as_numbers(values)
        self.rising = self.numeric is not None and bool((np.diff(self.numeric) > 0).all())
        self.nodes: dict[str, list[int]] = {}
        for value, path in paths.items():
            if value in self.place:
                for node in path:
                    self.nodes.setdefault(str(node), []).append(self.place[value])

    def read(self, level: Cell) -> Members | None:
        """The numbers of the values a level stands for; None where its text does not say."""
        if level in self.place:
            return _one(self.place[level])
        text = _text(level)
        text = text.removesuffix(_OR_MISSING)
        if text in self.by_text:
            return _one(self.by_text[text])
        if text in self.nodes:
            return np.unique(self.nodes[text])
        if text in _ANYTHING:
            return range(len(self.values))
        if text.startswith("{") and text.endswith("}"):
            return self._set(text[1:-1])
        return self._range(text) if self.ordered else None

    def _set(self, text: str) -> Ints | None:
        parts = [part.strip() for part in text.split(",")]
        return np.unique([self.by_text[part] for part in parts]) if all(p in self.by_text for p in parts) else None

    def _range(self, text: str) -> Members | None:
        first, dots, last = text.partition("..")
        if dots and first in self.by_text and last in self.by_text:
            return range(self.by_text[first], self.by_text[last] + 1)
        if self.numeric is None:
            return None
        ends = _ends(text)
        if ends is None:
            return None
        low, low_open, high, high_open = ends
        if self.rising:
            first_in = int(np.searchsorted(self.numeric, low, "right" if low_open else "left"))
            return range(first_in, int(np.searchsorted(self.numeric, high, "left" if high_open else "right")))
        above = self.numeric > low if low_open else self.numeric >= low
        below = self.numeric < high if high_open else self.numeric <= high
        return np.flatnonzero(above & below)


def _ends(text: str) -> tuple[float, bool, float, bool] | None:
    """The ends of a range of numbers in any notation in use, and whether they are open."""
    if found := _INTERVAL.fullmatch(text):
        return float(found[2]), found[1] == "(", float(found[3]), found[4] == ")"
    if found := _BEYOND.fullmatch(text):
        number = float(found[2])
        if found[1].startswith("<"):
            return -np.inf, False, number, found[1] == "<"
        return number, found[1] == ">", np.inf, False
    if found := _FROM_TO.fullmatch(text):
        return float(found[1]), False, float(found[2]), False
    if found := _AND_MORE.fullmatch(text):
        return float(found[1]), False, np.inf, False
    first, dots, last = text.partition("..")
    if dots:
        try:
            return float(first), False, float(last), False
        except ValueError:
            return None
    try:
        return float(text), False, float(text), False
    except ValueError:
        return None


def _one(number: int) -> range:
    return range(number, number + 1)


def _text(value: Cell) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _as_numbers(values: Sequence[Cell]) -> Floats | None:
    try:
        return np.array(list(values), dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _as_ranges(code: Ints, released: Ints, count: int, members: Sequence[Members]) -> Classes:
    """The classes as ranges of values, renumbered if need be; as sets where no order makes them ranges."""
    sizes = np.array([len(one) for one in members], dtype=np.int64)
    low, high = _ends_of(members)
    if (high - low + 1 == sizes).all():
        return Classes(code, released, count, low, high)
    holds = np.zeros((len(members), count), dtype=np.bool_)
    for level, one in enumerate(members):
        holds[level, one] = True
    # values in order of the classes that hold them, the widest first: nested classes become ranges
    order = np.lexsort([~holds[level] for level in np.argsort(-sizes, kind="stable")[::-1]])
    number = np.empty(count, dtype=np.int64)
    number[order] = np.arange(count)
    moved_low, moved_high = _ends_of([number[one] for one in members])
    if (moved_high - moved_low + 1 == sizes).all():
        return Classes(np.append(number, -1)[code], released, count, moved_low, moved_high)
    return Classes(code, released, count, low, high, holds)


def _ends_of(members: Sequence[Members]) -> tuple[Ints, Ints]:
    """The ends of each class; of one without any value, below all and the wrong way round."""
    low = [(one[0] if isinstance(one, range) else one.min()) if len(one) else -2 for one in members]
    high = [(one[-1] if isinstance(one, range) else one.max()) if len(one) else -3 for one in members]
    return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)
