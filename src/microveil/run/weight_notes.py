"""Totals of weights that fall because records were left out: whoever estimates for the population must know."""

from __future__ import annotations

import numpy as np

from microveil.core.numbers import format_number
from microveil.data import frames
from microveil.kernels.tables.classes import class_counts
from microveil.run.state import State

_SAME = 1e-9  # of the total


def note_weights(state: State, released: frames.Frame) -> tuple[str, ...]:
    """A note with both totals; none where all records are there, or where their weights still add up to the same."""
    before = state.source.weights
    if before is None or (state.origin < 0).any():
        return ()
    left_out = state.source.n - len(class_counts([state.origin]))
    if not left_out:
        return ()
    (name,) = state.source.names("weight")
    column = released.get_column(name)
    if not column.dtype.is_numeric():  # made classes: there is no total
        return ()
    total, now = float(before.sum()), float(np.nansum(frames.raw_numbers(column)))
    return note_totals(name, left_out, total, now)


def note_totals(name: str, left_out: int, total: float, now: float) -> tuple[str, ...]:
    """A note on weights of which some were left out, with both totals; none where they add up to the same."""
    if not left_out or not now or abs(now - total) <= _SAME * total:
        return ()
    note = (
        f"without the records that are left out the weights in {name!r} add up to {format_number(now)}, where the "
        f"original's add up to {format_number(total)}: multiply them by {total / now:.6g} for totals of the population"
    )
    return (note,)
