"""The figures of a utility plan in one file: a number for each group, cell or coefficient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.formula import parse_formula
from microveil.data.coding import in_common, is_written_as
from microveil.data.conditions import as_numbers
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Values
from microveil.loss.indicator_language import Indicator
from microveil.loss.indicator_statistics import STATISTICS as COMPUTED
from microveil.plan.utility_plan import STATISTICS, Goal

Group = tuple[Any, ...]  # the values of the columns that form groups; empty where there are none


@dataclass(frozen=True)
class Side:
    """The columns that a figure needs in one file, and the weights of its records."""

    columns: Mapping[str, Values]
    weights: Floats

    @classmethod
    def of(cls, data: Microdata, kinds: Mapping[str, str]) -> Side:
        """Some columns of a file, read as of these kinds."""
        columns = {name: data.values(name, kind) for name, kind in kinds.items()}
        return cls(columns, np.ones(data.n) if data.weights is None else np.asarray(data.weights, dtype=np.float64))

    def coded_as(self, other: Side, apart: str | None) -> Side:
        """The side with the categories of another: a number is the same value where classes made text of it.

        The column `apart`, whose numbers are computed with, stays as it is.
        """
        columns = {
            name: one
            if name == apart or other.columns[name].levels is None
            else in_common([other.columns[name], one])[1]
            for name, one in self.columns.items()
        }
        return replace(self, columns=columns)

    def take(self, rows: Ints, factor: float = 1.0) -> Side:
        """Some records, each standing for so many times as many as before."""
        return Side({name: one.take(rows) for name, one in self.columns.items()}, self.weights[rows] * factor)


@dataclass(frozen=True)
class Grouped:
    """A side with the group of each record that the figure is about."""

    side: Side
    rows: Ints
    labels: Ints
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, goal: Goal, side: Side) -> Grouped:
        """The records that a goal is about, in its groups."""
        keep = np.ones(len(side.weights), dtype=np.bool_)
        for name, value in goal.where.items():
            keep &= _equal(side.columns[name], value)
        rows = np.flatnonzero(keep).astype(np.int64)
        names = goal.by or goal.table
        if not names:
            return cls(side, rows, np.zeros(len(rows), dtype=np.int64), ((),))
        codes = np.column_stack([side.columns[name].data[rows] for name in names]).astype(np.int64)
        found, labels = np.unique(codes, axis=0, return_inverse=True)
        levels = [side.columns[name].levels or () for name in names]
        groups = tuple(tuple(_level(levels[j], code) for j, code in enumerate(row)) for row in found.tolist())
        return cls(side, rows, labels.reshape(-1).astype(np.int64), groups)

    def drawn(self, rows: Ints, factor: float) -> Grouped:
        """Records drawn by their place among those in view, in the same groups."""
        return replace(
            self, side=self.side.take(self.rows[rows], factor), rows=np.arange(len(rows)), labels=self.labels[rows]
        )


def figures_of(goal: Goal, grouped: Grouped) -> dict[Group, float]:
    """The figure of each group; not a number where it is not defined."""
    side, rows = grouped.side, grouped.rows
    weights = side.weights[rows]
    if goal.indicator:
        return {(): Indicator(goal.indicator).value(side.columns, side.weights)}
    if goal.table or goal.statistic == "count":
        counts = np.bincount(grouped.labels, weights, minlength=len(grouped.groups))
        return dict(zip(grouped.groups, counts.tolist(), strict=True))
    assert goal.of is not None
    numbers = as_numbers(side.columns[goal.of])
    if numbers is None:
        return {}
    values = numbers[rows]
    compute = COMPUTED[STATISTICS[goal.statistic]][1]
    order = np.argsort(grouped.labels, kind="stable")
    ends = np.searchsorted(grouped.labels[order], np.arange(len(grouped.groups) + 1))
    found = {}
    for number, group in enumerate(grouped.groups):
        own = order[ends[number] : ends[number + 1]]
        own = own[~np.isnan(values[own])]
        defined = len(own) or goal.statistic == "sum"
        found[group] = float(compute(weights[own], values[own])) if defined else float("nan")
    return found


def said_group(group: Group) -> str:
    """A group in words: the values that its records have."""
    return ", ".join("missing" if value is None else str(value) for value in group)


def check_goals(data: Microdata, goals: tuple[Goal, ...]) -> None:
    """Every goal must be about columns of the right kind, and about somebody, before anything is done."""
    for goal in goals:
        what = f"utility {goal.name!r}"
        check_names(goal.columns, list(data.columns), what)
        for name in (*goal.by, *goal.table):
            if data.kinds[name] == "continuous":
                raise BadInput(f"{what}: {name!r} is an amount; groups and tables are of categories")
        if goal.of is not None and as_numbers(data.values(goal.of)) is None:
            raise BadInput(f"{what}: {goal.of!r} is no column of numbers; a {goal.statistic} is of numbers")
        response = parse_formula(goal.regression).response if goal.regression else None
        if response is not None and data.kinds[response] != "continuous":
            raise BadInput(
                f"{what}: {response!r} is {data.kinds[response]}, and regressions are of amounts; state the kind "
                "continuous under columns if it is one"
            )
        for name, value in goal.where.items():
            if not _equal(data.values(name), value).any():
                raise BadInput(f"{what}: no record has {name} = {value!r}; write a value that occurs")


def _equal(values: Values, value: Any) -> Bools:
    if values.levels is None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return np.asarray(values.data == value if number else np.zeros(len(values.data)), dtype=np.bool_)
    codes = [code for code, level in enumerate(values.levels) if level == value or is_written_as(value, level)]
    return np.isin(values.data, codes)


def _level(levels: tuple[Any, ...], code: int) -> Any:
    return None if code < 0 else levels[code]
