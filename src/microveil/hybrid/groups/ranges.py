"""New numbers that lie where the original has none: exact moments do not keep values in their range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from microveil.core.arrays import Floats
from microveil.data.table import Table, Values
from microveil.run.job import Outcome

_OUTSIDE, _NEGATIVE = "outside ", "negative "  # what tallies are called by, before the name of a column
_REMEDY = "where that must not be, state it as a rule (edits), or add a step repair, which gives up exact moments"


def outside_range(before: Table, after: Mapping[str, Values]) -> tuple[str, ...]:
    """How many new numbers are below the smallest or above the largest original one, and how many changed sign."""
    ends = {
        # gaps are passed over, and a column of gaps alone has no range: nothing is outside it
        name: (float(np.fmin.reduce(values.numbers)), float(np.fmax.reduce(values.numbers)))
        for name, values in before.columns.items()
        if values.levels is None and len(values.data)
    }
    return tell_outside(*count_outside({name: values for name, values in after.items() if name in ends}, ends))


def count_outside(
    after: Mapping[str, Values], ends: Mapping[str, tuple[float, float]]
) -> tuple[dict[str, int], dict[str, int]]:
    """How many new numbers of each column lie outside the original's, and how many are negative where none was."""
    outside: dict[str, int] = {}
    negative: dict[str, int] = {}
    for name, values in after.items():
        if values.levels is None:
            low, high = ends[name]
            outside[name] = int(np.count_nonzero(values.numbers < low) + np.count_nonzero(values.numbers > high))
            negative[name] = int(np.count_nonzero(values.numbers < 0)) if low >= 0 else 0
    return outside, negative


def outcome_counting(columns: Mapping[str, Values], names: Sequence[str], low: Floats, high: Floats) -> Outcome:
    """New numbers of some records, and how many of them left the range of the original."""
    ends = dict(zip(names, zip(low.tolist(), high.tolist(), strict=True), strict=True))
    counts = zip((_OUTSIDE, _NEGATIVE), count_outside(columns, ends), strict=True)
    return Outcome(columns, tallies={f"{what}{name}": count for what, own in counts for name, count in own.items()})


def tell_tallies(tallies: Mapping[str, int]) -> tuple[str, ...]:
    """The note on the new numbers of all records, from what was counted in each part of them."""
    outside, negative = (
        {name.removeprefix(what): count for name, count in tallies.items() if name.startswith(what)}
        for what in (_OUTSIDE, _NEGATIVE)
    )
    return tell_outside(outside, negative)


def tell_outside(outside: Mapping[str, int], negative: Mapping[str, int]) -> tuple[str, ...]:
    """A note on new numbers outside the original's range; none where there are none."""
    total = sum(outside.values())
    if not total:
        return ()
    lie = "new value lies" if total == 1 else "new values lie"
    found = f"{total} {lie} outside the range of those they replace ({_by_column(outside)})"
    if any(negative.values()):
        found += f", {sum(negative.values())} of them below 0 in columns that had none ({_by_column(negative)})"
    return (f"{found}; {_REMEDY}",)


def _by_column(counts: Mapping[str, int]) -> str:
    """The columns that have some, those with the most first."""
    most = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    return ", ".join(f"{name} {counts[name]}" for name in most)
