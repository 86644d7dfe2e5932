"""Back into the user's own frame: arrays of a run as columns of the library, types and order they came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.words import counted
from microveil.data import frames
from microveil.data.frames import replace_columns
from microveil.data.microdata import Microdata
from microveil.data.table import Values, are_all_in_order
from microveil.data.units import round_to
from microveil.run.digits import unit_of
from microveil.run.state import State


@dataclass(frozen=True)
class Restored:
    """The frame, half the unit to which columns were rounded, and what to know."""

    frame: frames.Frame
    half_units: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    beside: dict[str, int] = field(default_factory=dict)  # new values that would have been codes for missing


def restore(state: State) -> Restored:
    """The frame of a state: same library, index, column order and types as the source."""
    source = state.source
    frame = source.narwhal
    # no cell of a synthetic row stays: any row of the source lends it its place
    rows = np.where(state.origin >= 0, state.origin, np.minimum(np.arange(len(state.origin)), source.n - 1))
    if not are_all_in_order(rows, source.n):
        frame = frame[rows]
    if (state.origin < 0).any():
        # a row that comes from no record must not carry a record's label
        frame = frames.without_index(frame)
    columns, half_units, notes = {}, {}, []
    beside: dict[str, int] = {}
    # of a block of a file some columns may not have been read
    for name in (one for one in emptied_columns(state) if one in frame.columns):
        columns[name] = frames.empty_cells(frame.get_column(name), state.origin >= 0)
    if columns:
        notes.append(note_emptied(columns))
    for name, values in state.changed.items():
        aligned = frame.get_column(name)
        if values.levels is None:
            moved = _beside_codes(source, name, values.numbers)
            if moved is not values.numbers:
                beside[name] = int(np.count_nonzero(moved != values.numbers) - np.isnan(moved).sum())
                notes.append(note_beside(name, beside[name]))
            numbers = _with_missing_codes(source, name, values.with_data(moved), aligned, state.origin)
            restored = frames.restore_numbers(aligned, numbers, source.integers, name)
            columns[name], half_units[name] = restored.series, restored.half_unit
            notes += [restored.note] if restored.note else []
        elif has_source_levels(source, name, values):
            columns[name] = _codes_with_missing(source, name, values, state.origin)
        else:
            columns[name] = frames.new_levels(name, values.levels, values.data, frame.implementation)
    return Restored(replace_columns(frame, columns), half_units, tuple(notes), beside)


def note_beside(name: str, count: int) -> str:
    """That new values were moved, since they would have been read as gaps."""
    return f"{counted(count, 'new value')} of {name!r} would have been a code for a missing value, and moved by a unit"


def note_emptied(names: Iterable[str]) -> str:
    """That columns are empty in records that were made."""
    listed = ", ".join(repr(name) for name in names)
    return f"synthetic records have no values in the columns that were not synthesised: {listed}"


def has_source_levels(source: Microdata, name: str, values: Values) -> bool:
    """Whether a column has the levels of the source still: it was not recoded."""
    return source.kinds[name] != "continuous" and values.levels == source.encoded(name).levels


def emptied_columns(state: State) -> tuple[str, ...]:
    """The columns in which synthetic rows have no value: nothing of the original stands in for it."""
    if (state.origin >= 0).all():
        return ()
    # a step before them may have changed the weights that they do not have
    lost = {name for name in state.source.names("weight") if name in state.changed and state.values(name).missing.all()}
    return tuple(name for name in state.source.columns if name not in state.changed or name in lost)


def _beside_codes(source: Microdata, name: str, numbers: Floats) -> Floats:
    """New values that would be written as a code for a missing value, a unit beside it: they would be read as gaps."""
    codes = [float(code) for code in source.schema[name].missing if isinstance(code, int | float)]
    unit = unit_of(source, name) if codes else None
    if unit is None:
        return numbers
    moved = numbers
    for code in codes:
        read = np.flatnonzero(round_to(moved, unit) == code)
        if len(read):
            moved = moved.copy() if moved is numbers else moved
            moved[read] = round_to(code + np.where(moved[read] < code, -1.0, 1.0) * 10.0**unit, unit)
    return moved


def _with_missing_codes(source: Microdata, name: str, values: Values, aligned: frames.Series, origin: Ints) -> Floats:
    """The values, with a missing code standing where it stood before."""
    if not source.schema[name].missing:
        return values.numbers
    was_missing = source.values(name, "continuous").missing[origin] & (origin >= 0)
    return np.where(np.isnan(values.numbers) & was_missing, frames.raw_numbers(aligned), values.numbers)


def _codes_with_missing(source: Microdata, name: str, values: Values, origin: Ints) -> frames.Series:
    encoded, column, spelt = source.encoded(name), source.schema[name], source.spelling(name)
    if not column.missing:
        return frames.restore_codes(spelt.series, frames.Encoded(encoded.codes, (), spelt.levels), values.data)
    # a missing code is a value of the column: keep it where it stood by pointing at its own row
    was_missing = (encoded.codes[origin] < 0) & (values.data < 0) & (origin >= 0)
    levels = len(encoded.levels)
    codes = values.data.copy()
    codes[was_missing] = levels + np.arange(int(was_missing.sum()))
    rows = np.concatenate([spelt.levels, spelt.cells + origin[was_missing]])
    return frames.restore_codes(spelt.series, frames.Encoded(codes, (), rows), codes)
