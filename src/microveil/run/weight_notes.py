"""Totals of weights that fall because records were left out: whoever estimates for the population must know."""

from __future__ import annotations

import numpy as np

from microveil.core.numbers import format_number
from microveil.core.words import counted
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
    return note_totals(name, state.source.n, left_out, total, now)


def note_totals(name: str, records: int, left_out: int, total: float, now: float) -> tuple[str, ...]:
    """A note on weights of which some were left out, with both totals; none where they add up to the same."""
    if not left_out or not now or abs(now - total) <= _SAME * total:
        return ()
    note = (
        f"{counted(left_out, 'record')} of {records:,} {'is' if left_out == 1 else 'are'} left out, and the "
        f"weights in {name!r} add up to {format_number(now)}, where the original's add up to {format_number(total)}: "
        f"multiply them by {total / now:.6g} for totals of the population"
    )
    return (note,)
