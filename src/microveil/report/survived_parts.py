"""Figures that must survive: before and after for those who decide, and within what they are kept for users."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.plan.published_totals import Stands
from microveil.plan.utility_plan import Goal
from microveil.plan.utility_reached import Reached
from microveil.report.parts import Cell, Column, Fold, Heading, Items, Part, Row, Table, Text

_MOST_VALUES = 60
_HEAD = (Column("figure"), Column("what is computed"), Column("kept", told=True), Column("what was found"))
_PUBLISHED = (
    Column("figure"),
    *(Column(title, number=True, told=True) for title in ("published", "original", "release", "off", "tolerated")),
    Column("stands", told=True),
)
_VALUES = (Column("of"), Column("original", number=True), Column("release", number=True))


def survived_parts(reached: Sequence[Reached], values: bool = True) -> list[Part]:
    """Every figure with what became of it, and its values in both files; for those who decide."""
    if not reached:
        return []
    rows = tuple(
        Row(
            (Cell(one.goal.name, "name"), one.text, "yes" if one.kept else "no", one.told),
            _values(one) if values else (),
        )
        for one in reached
    )
    return [
        Heading("Figures that must survive"),
        Text("Computed in the same way from both files.", "soft"),
        Table(_HEAD, rows, "figures"),
    ]


def published_parts(published: Sequence[Stands]) -> list[Part]:
    """Every figure that was published elsewhere, beside what both files give; for those who decide."""
    if not published:
        return []
    rows = tuple(Row((Cell(one.text, "name"), *one.cells, "yes" if one.kept else "no")) for one in published)
    return [Heading("Figures that were published"), Table(_PUBLISHED, rows, "figures")]


def _values(one: Reached) -> tuple[Part, ...]:
    if not one.values:
        return ()
    rows = tuple(
        Row((of or "all records", format_number(before), "none" if after is None else format_number(after)))
        for of, before, after in one.values[:_MOST_VALUES]
    )
    left = len(one.values) - _MOST_VALUES
    more = (Text(f"and {counted(left, 'more value')}", "soft"),) if left > 0 else ()
    return (Fold(counted(len(one.values), "value"), (Table(_VALUES, rows, "tight"), *more)),)


def kept_parts(reached: Sequence[Reached]) -> list[Part]:
    """Within what figures are kept; for users.

    The tolerance is told and never the change that was found: with the figure of the file that would be the figure of
    the original, perhaps of a small group. Of extreme quantiles nothing is told, and nothing in the words of the
    project.
    """
    told = tuple(_within(one.goal, one.text) for one in reached if one.kept and not one.goal.is_extreme)
    if not told:
        return []
    return [Text("These figures were compared with the original data before the release:"), Items(told)]


def _within(goal: Goal, text: str) -> str:
    if goal.regression:
        return (
            f"{text}: the 95 % interval of every coefficient overlaps with that of the original by "
            f"{format_number(goal.overlap)} or more (1 is the same interval)"
        )
    tolerance = format_number(100 * (goal.tolerance or 0.0))
    if goal.table:
        return f"{text}: at most {tolerance} % of the records would have to stand in another cell"
    each = "each is " if goal.by else ""
    return f"{text}: {each}at most {tolerance} % off the original"
