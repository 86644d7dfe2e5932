"""Ladders of generalisation: every column from its own values up to a single one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np

from microveil.core.arrays import Codes, Ints
from microveil.core.errors import BadInput
from microveil.core.open_types import Hierarchy
from microveil.core.ranges import amount_text
from microveil.data.table import Values
from microveil.hierarchy.levels import level_texts
from microveil.kernels.summaries.order import Order
from microveil.kernels.tables.classes import count_up
from microveil.mask.range_texts import EVERYTHING, between_cuts, range_of_levels
from microveil.mask.recode_levels import cut_points, refuse_without_path

_BINS = 32


@dataclass(frozen=True)
class Step:
    """A column at one level of its ladder: generalised code of each original code (last: missing), and texts.

    `cuts` are the ends of the intervals of amounts.
    """

    lookup: Codes
    texts: tuple[Any, ...]
    cuts: tuple[float, ...] = ()


@dataclass(frozen=True)
class Ladder:
    """A column, its original codes (the number of levels stands for missing) and its steps from fine to coarse."""

    values: Values
    codes: Codes
    steps: tuple[Step, ...]
    of_file: Ints | None = None  # how many records of the file have each code, where these are some of them
    times: Ints | None = None  # how many records stand behind each, where these are different rows

    @property
    def top(self) -> int:
        """The highest level, at which all values are one."""
        return len(self.steps) - 1

    @cached_property
    def own_counts(self) -> Ints:
        """How many of these records have each original code."""
        return count_up(self.codes, self.times, len(self.steps[0].lookup))

    @property
    def counts(self) -> Ints:
        """How many records of the file have each original code."""
        return self.own_counts if self.of_file is None else self.of_file

    def take(self, rows: Ints) -> Ladder:
        """The ladder for some of the records: what a value is worth stays that of the file."""
        times = None if self.times is None else self.times[rows]
        return replace(self, values=self.values.take(rows), codes=self.codes[rows], of_file=self.counts, times=times)

    @property
    def _kind_above(self) -> str:
        """The kind of the column at any level above its own values."""
        return "nominal" if self.values.kind == "nominal" else "ordinal"

    def hidden(self) -> Values:
        """The column with `*` in every record."""
        return Values(self._kind_above, np.zeros(len(self.codes), dtype=np.int64), (EVERYTHING,))

    def at(self, level: int) -> Values:
        """The column at a level."""
        if level == 0:
            return self.values
        step = self.steps[level]
        codes = step.lookup[self.codes]
        missing = np.array([text is None for text in step.texts])
        keep = [i for i, text in enumerate(step.texts) if text is not None]
        place = np.full(len(step.texts), -1, dtype=np.int64)
        place[keep] = np.arange(len(keep))
        return Values(self._kind_above, np.where(missing[codes], -1, place[codes]), tuple(step.texts[i] for i in keep))


def ladder_of(values: Values, name: str, times: Ints | None = None) -> Ladder:
    """The ladder of a column: its hierarchy, or intervals joined two by two, or its values and then one.

    A hierarchy that is stated decides, whatever the kind of the column, and its levels keep their numbers and names; a
    value without a place in it is an error. `times` says how many records have each cell, one if nothing does.
    """
    return replace(_ladder_of(values, name, times), times=times)


def _ladder_of(values: Values, name: str, times: Ints | None) -> Ladder:
    if EVERYTHING in (values.levels or ()):
        raise BadInput(
            f"{name!r} holds the value {EVERYTHING!r}, which stands for every value in a release; say that it stands "
            f"for a missing one (missing=[{EVERYTHING!r}] of this column), or call it otherwise"
        )
    if values.levels is None:
        return _of_amounts_in_hierarchy(values, name) if values.hierarchy else _of_amounts(values, times)
    codes = np.where(values.data < 0, len(values.levels), values.data)
    if values.hierarchy:
        return _ladder(values, codes, _hierarchy_texts(values, values.hierarchy, name))
    between = _pairwise_texts(values.levels) if values.kind == "ordinal" else []
    return _ladder(values, codes, _up_to_everything(values, between))


def _ladder(values: Values, codes: Codes, above: list[list[Any]]) -> Ladder:
    """Steps from the texts of each original level; the last step joins everything, missing too."""
    K = len(values.levels or ())
    steps = [Step(np.arange(K + 1, dtype=np.int64), (*(values.levels or ()), None))]
    for texts in above[:-1]:
        order = list(dict.fromkeys(texts))
        place = {text: i for i, text in enumerate(order)}
        steps.append(Step(np.array([*(place[text] for text in texts), len(order)], dtype=np.int64), (*order, None)))
    steps.append(Step(np.zeros(K + 1, dtype=np.int64), (above[-1][0] if K else EVERYTHING,)))
    return Ladder(values, codes, tuple(steps))


def _up_to_everything(values: Values, between: list[list[Any]]) -> list[list[Any]]:
    """The levels of a column without a hierarchy: as far as they tell values apart, and then one."""
    telling = list(takewhile(lambda texts: len(set(texts)) > 1, between))
    return [*telling, [EVERYTHING] * len(values.levels or ())]


def _hierarchy_texts(values: Values, stated: Hierarchy, name: str) -> list[list[Any]]:
    refuse_without_path(values, name)
    paths = values.hierarchy or {}
    return level_texts([paths[value] for value in values.levels or ()], stated, bool(values.missing.any()))


def _pairwise_texts(levels: tuple[Any, ...]) -> list[list[Any]]:
    out, width = [], 2
    while width < len(levels):
        first = [i - i % width for i in range(len(levels))]
        last = [min(i + width - 1, len(levels) - 1) for i in first]
        out.append([range_of_levels(levels[a], levels[b]) for a, b in zip(first, last, strict=True)])
        width *= 2
    return out


def _of_amounts_in_hierarchy(values: Values, name: str) -> Ladder:
    """The steps of a hierarchy of numbers; its values may be stated as numbers or as their texts."""
    observed = values.numbers[~values.missing]
    distinct, coded = np.unique(observed, return_inverse=True)
    codes = np.full(len(values.data), len(distinct), dtype=np.int64)
    codes[~values.missing] = coded.reshape(-1)
    stated = values.hierarchy or {}
    paths = {number: stated.get(number) or stated.get(amount_text(number)) or () for number in distinct.tolist()}
    classes = Values("nominal", np.where(values.missing, -1, codes), tuple(paths), paths)
    return Ladder(values, codes, _ladder(classes, codes, _hierarchy_texts(classes, stated, name)).steps)


def _of_amounts(values: Values, times: Ints | None) -> Ladder:
    """Quantile intervals, joined two by two."""
    distinct, codes = np.unique(values.numbers, return_inverse=True)
    cuts = cut_points(Order(distinct, count_up(codes.reshape(-1), times, len(distinct)), 0), _BINS, "quantile")
    between: list[list[Any]] = []
    ends: list[tuple[float, ...]] = [()]
    while len(cuts):
        texts = between_cuts(cuts)
        between.append([texts[i] for i in np.searchsorted(cuts, distinct, "right")])
        ends.append(tuple(cuts.tolist()))
        cuts = cuts[1::2]
    coded = Values("ordinal", codes.reshape(-1).astype(np.int64), tuple(distinct.tolist()))
    ladder = _ladder(coded, coded.data, _up_to_everything(coded, between))
    # the last step joins everything and has no ends
    of_steps = [*ends[: len(ladder.steps) - 1], ()]
    steps = [replace(step, cuts=cuts) for step, cuts in zip(ladder.steps, of_steps, strict=True)]
    return Ladder(values, ladder.codes, tuple(steps))
