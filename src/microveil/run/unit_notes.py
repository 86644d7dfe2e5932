"""Persons or enterprises with several records each: groups and linkage count records, not units."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.words import counted
from microveil.detect.units import may_number_units
from microveil.detect.words import is_part_of_name
from microveil.run.state import State

SEVERAL = 1.5  # records of each unit on average: namesakes alone are fewer


def note_units(state: State) -> tuple[str, ...]:
    """A note on an identifier whose values have several records each; none where there is no such column."""
    if state.synthetic or (state.origin < 0).any():
        return ()
    columns = {name: state.source.values(name, "nominal") for name in _identifiers(state)}
    units = {
        name: column.at(state.origin).numbers
        for name, column in columns.items()
        if may_number_units(name, column.levels or ())
    }
    repeated = {name: values for name, values in units.items() if _records_of_each(values) >= SEVERAL}
    if not repeated:
        return ()
    name = max(repeated, key=lambda column: len(np.unique(repeated[column])))
    values = repeated[name]
    there = ~np.isnan(values)
    of_each = _records_of_each(values)
    note = (
        f"{int(there.sum()):,} records belong to {counted(len(np.unique(values[there])), 'value')} of {name!r}, about "
        f"{of_each:.1f} to each, and figures of linkage and risk count records: who knows several records of "
        "one finds it more easily"
    )
    if state.groupings:
        fewest, records = _fewest_units(state.groupings[max(state.groupings)], values)
        note += f"; the group with fewest holds {counted(fewest, 'value')} of it in {counted(records, 'record')}"
    return (f"{note}; release one record of each, or protect them side by side as columns of one record",)


def _identifiers(state: State) -> tuple[str, ...]:
    found = (name for name in state.source.names("identifier") if name not in state.changed)
    return tuple(name for name in found if not is_part_of_name(name))  # many people share a first name


def _records_of_each(values: Floats) -> float:
    there = values[~np.isnan(values)]
    return len(there) / max(len(np.unique(there)), 1)


def _fewest_units(groups: Ints, values: Floats) -> tuple[int, int]:
    """The least number of different values in a group, and how many records that group has."""
    inside = (groups >= 0) & ~np.isnan(values)
    pairs = np.unique(np.column_stack([groups[inside], values[inside]]), axis=0)
    units = np.bincount(pairs[:, 0].astype(np.int64))
    sizes = np.bincount(groups[inside], minlength=len(units))
    formed = np.flatnonzero(units)
    fewest = formed[np.lexsort((sizes[formed], units[formed]))[0]]
    return int(units[fewest]), int(sizes[fewest])
