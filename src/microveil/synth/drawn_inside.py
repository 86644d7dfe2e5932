"""The rules of the data for columns that are drawn one after the other: ranges to draw in, and totals to compute."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.edits import Edit
from microveil.data.table import Table, Values
from microveil.run.inside_rules import following_columns, solve_for

Ends = tuple[float | None, float | None]


def ranges_of(edits: Sequence[Edit], stated: Mapping[str, Ends]) -> dict[str, Ends]:
    """The stated range of each column, no wider than the rules about this column alone allow."""
    ranges = dict(stated)
    for edit in edits:
        if len(edit.columns) > 1 or edit.equal:
            continue
        name, number = edit.columns[0], edit.coefficients[0]
        end, (low, high) = -edit.constant / number + 0.0, ranges.get(name, (None, None))
        if number > 0:
            low = end if low is None else max(low, end)
        else:
            high = end if high is None else min(high, end)
        ranges[name] = (low, high)
    return ranges


def totals_of(edits: Sequence[Edit], table: Table, given: Table, drawn: Collection[str]) -> dict[str, Edit]:
    """The columns that are not drawn but computed from others by a rule with =; those asked for by name are drawn.

    A column that kept ones alone determine is drawn too: it would come back as it was.
    """
    numbers = {name for name, values in {**given.columns, **table.columns}.items() if values.levels is None}
    rules = [
        edit
        for edit in edits
        if edit.equal and set(edit.columns) <= numbers and len(set(edit.columns) & set(table.names)) > 1
    ]
    return following_columns(rules, {name: 0 for name in table.names if name in numbers and name not in drawn})


def compute_totals(
    totals: Mapping[str, Edit], new: Mapping[str, Values], table: Table, keep: Table | None
) -> dict[str, Values]:
    """The totals of the new records; where records stay, those of records whose parts did not change stay, and gaps."""
    numbers: dict[str, Floats] = {name: values.numbers for name, values in new.items() if values.levels is None}
    rows = len(next(iter(numbers.values())))
    for name in totals:
        numbers[name] = np.full(rows, np.nan) if keep is None else keep[name].numbers.copy()
    # a total may be a part of another
    for _ in range(len(totals)):
        for name, edit in totals.items():
            total = solve_for(name, edit, numbers, slice(None))
            if keep is not None:
                parts = [part for part in edit.columns if part != name and part in keep.columns]
                same = [numbers[part] == keep[part].numbers for part in parts]
                stays = np.all([np.ones(rows, np.bool_), *same], axis=0) | np.isnan(keep[name].numbers)
                total = np.where(stays | np.isnan(total), keep[name].numbers, total)
            numbers[name] = total
    return {name: table[name].with_data(numbers[name]) for name in totals}
