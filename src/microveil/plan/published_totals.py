"""Figures that were published elsewhere: what a file gives of each, and how far that is off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.core.numbers import format_number
from microveil.data.coding import is_written_as
from microveil.data.frames import raw_numbers
from microveil.data.microdata import Microdata
from microveil.measure import Pair
from microveil.plan.release_plan import Published

STATISTICS = ("sum", "mean", "count")
_ROUNDING = 1e-9
_DIGITS = 6


@dataclass(frozen=True)
class Stands:
    """A published figure beside what the original and the release give; a text where a file has no such figure."""

    stated: Published
    weighted: bool
    original: float | str
    released: float | str

    @property
    def text(self) -> str:
        """What the figure is."""
        return describe(self.stated, self.weighted)

    @property
    def kept(self) -> bool:
        """Whether the release gives it, within what is tolerated."""
        return not isinstance(self.released, str) and agrees(self.stated, self.released)

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The published figure, the original's, the release's, how far that is off, and what is tolerated."""
        original, released = (
            one if isinstance(one, str) else format_number(one, _DIGITS) for one in (self.original, self.released)
        )
        value, apart = format_number(self.stated.value, _DIGITS), off(self.stated, self.released)
        return value, original, released, apart, _percent(self.stated.tolerance)

    @property
    def said(self) -> str:
        """The same in a sentence."""
        published, original, released, apart, tolerated = self.cells
        head = (
            f"Published figure, {self.text}, {'stands' if self.kept else 'does NOT stand'}: {published} was published"
        )
        if isinstance(self.released, str):
            return f"{head}, and the release has none: {self.released}."
        before = "" if isinstance(self.original, str) else f"; the original gives {original}"
        return f"{head}, the release gives {released}, {apart}{before}; {tolerated} are tolerated."


def compare_published(pair: Pair, published: Sequence[Published]) -> tuple[Stands, ...]:
    """Every published figure beside what both files give, weighted where a column is the weight."""
    sides = [without_identifiers(side, pair.before) for side in (pair.before, pair.after)] if published else []
    found = []
    for stated in published:
        (before, weight), (after, weight_after) = sides
        figures = figure_of(before, stated, weight), figure_of(after, stated, weight_after)
        found.append(Stands(stated, weight_after is not None, *figures))
    return tuple(found)


def without_identifiers(data: Microdata, known: Microdata) -> tuple[Microdata, str | None]:
    """A file as it is given away, for identifiers never are, and the name of its weight."""
    roles = known.roles
    given = data.narwhal.drop([name for name in data.columns if roles.get(name) == "identifier"])
    weights = (name for name in given.columns if roles.get(name) == "weight")
    weight = next((name for name in weights if given.get_column(name).dtype.is_numeric()), None)
    return Microdata(given.to_native()), weight


def agrees(stated: Published, found: float) -> bool:
    """Whether a figure is the published one, within what is tolerated."""
    room = stated.tolerance * abs(stated.value) + _ROUNDING * max(abs(stated.value), 1.0)
    return abs(found - stated.value) <= room


def off(stated: Published, found: float | str) -> str:
    """How far a figure is from the published one, in words."""
    if isinstance(found, str):
        return ""
    apart = abs(found - stated.value)
    return f"{_percent(apart / abs(stated.value))} off" if stated.value else f"{format_number(apart)} off"


def figure_of(data: Microdata, stated: Published, weight: str | None) -> float | str:
    """The figure in a file, or why it has none."""
    absent = [name for name in (*stated.where, stated.of) if name is not None and name not in data.columns]
    if absent:
        return f"the file has no column {', '.join(map(repr, absent))}"
    if stated.statistic not in STATISTICS:
        return f"the statistic {stated.statistic!r} is not one of {', '.join(STATISTICS)}"
    chosen = _chosen(data, stated.where)
    if not chosen.any():
        return "no record of the file is among these; they may have been recoded"
    weights = None if weight is None else _numbers(data, weight)
    weights = np.ones(data.n) if weights is None else weights
    if stated.of is None:
        return float(np.nansum(weights[chosen])) if stated.statistic == "count" else "no column is named"
    values = _numbers(data, stated.of)
    if values is None:
        return f"{stated.of!r} holds no numbers"
    there = chosen & ~np.isnan(values) & ~np.isnan(weights)
    count, total = float(weights[there].sum()), float((weights * values)[there].sum())
    if stated.statistic == "mean":
        return total / count if count else "no record among these has a value"
    return total if stated.statistic == "sum" else count


def describe(stated: Published, weighted: bool) -> str:
    """What is computed, in words."""
    where = " and ".join(f"{name} is {value}" for name, value in stated.where.items())
    of = f" of {stated.of}" if stated.of else ""
    return f"the {'weighted ' * weighted}{stated.statistic}{of}{' where ' * bool(where)}{where}"


def _chosen(data: Microdata, where: Mapping[str, object]) -> Bools:
    """The records that have all of these values, numbers compared as numbers and anything else as text."""
    chosen = np.ones(data.n, dtype=np.bool_)
    for name, wanted in where.items():
        numbers = _numbers(data, name) if isinstance(wanted, int | float) and not isinstance(wanted, bool) else None
        if numbers is not None:
            chosen &= numbers == wanted
        else:
            shown = data.narwhal.get_column(name).to_list()
            chosen &= np.array(
                [value is not None and (str(value) == str(wanted) or is_written_as(wanted, value)) for value in shown],
                dtype=np.bool_,
            )
    return chosen


def _numbers(data: Microdata, name: str) -> Floats | None:
    column = data.narwhal.get_column(name)
    if not column.dtype.is_numeric():
        return None
    return raw_numbers(column)


def _percent(share: float) -> str:
    return f"{format_number(100 * share)} %"
