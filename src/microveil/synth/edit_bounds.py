"""The rules of the data as bounds of the columns that are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.edits import Edit
from microveil.core.errors import BadInput
from microveil.core.words import counted
from microveil.data.table import Table
from microveil.run.inside_rules import following_columns, solve_for

if TYPE_CHECKING:
    from microveil.kernels.rotation.feasible import Bounds

_LAST_DIGITS = 1e-13  # of the largest amount of a column


def rules_on(edits: Sequence[Edit], table: Table, given: Table) -> tuple[Edit, ...]:
    """The rules about columns drawn that speak of these and of kept ones only."""
    held = {*table.names, *given.names}
    return tuple(edit for edit in edits if set(edit.columns) & set(table.names) and set(edit.columns) <= held)


def refuse_broken(edits: Sequence[Edit], table: Table, given: Table) -> None:
    """A walk inside rules begins inside them."""
    held = {**given.columns, **table.columns}
    numbers = {name: values.numbers for name, values in held.items() if values.levels is None}
    for edit in edits:
        broken = int(np.count_nonzero(edit.broken(numbers)))
        if broken:
            breaks, them = ("breaks", "it") if broken == 1 else ("break", "them")
            raise BadInput(
                f"{counted(broken, 'record')} of the data {breaks} the rule {str(edit)!r}, so that no release with the "
                f"same moments need keep it; correct {them} (the method repair in an earlier step), or leave it out"
            )


def bounds_of(edits: Sequence[Edit], table: Table, given: Table) -> Bounds:
    """The rules as bounds of the columns drawn; equalities keep themselves, because every column is turned alike."""
    from microveil.kernels.rotation.feasible import Bounds

    unequal = [edit for edit in edits if not edit.equal]
    forms = np.zeros((len(unequal), len(table.names)))
    constants = np.array([[edit.constant for edit in unequal]]).reshape(1, len(unequal))
    if any(name in given.columns for edit in unequal for name in edit.columns):
        constants = np.repeat(constants, table.rows, axis=0)
    for b, edit in enumerate(unequal):
        for name, number in zip(edit.columns, edit.coefficients, strict=True):
            if name in table.columns:
                forms[b, table.names.index(name)] = number
            else:
                constants[:, b] += number * given[name].numbers
    return Bounds(forms, constants)


def settle_ends(values: Floats, edits: Sequence[Edit], table: Table) -> Floats:
    """The values without those that the last digits of large neighbours put beyond the end of a rule."""
    settled = values.copy()
    for edit in edits:
        if edit.equal or len(edit.columns) > 1 or edit.columns[0] not in table.columns:
            continue
        j, (number,) = table.names.index(edit.columns[0]), edit.coefficients
        slack = number * settled[:, j] + edit.constant
        off = (slack < 0) & (slack > -_LAST_DIGITS * abs(number) * np.abs(settled[:, j]).max(initial=0.0))
        settled[off, j] = -edit.constant / number + 0.0
    return settled


def settle_sums(values: Floats, edits: Sequence[Edit], table: Table, given: Table) -> Floats:
    """The values with exact totals: small records turned beside large ones are off by the last digits of these."""
    columns = {name: column.numbers for name, column in given.columns.items() if column.levels is None}
    columns |= {name: values[:, j].copy() for j, name in enumerate(table.names)}
    totals = following_columns(edits, dict.fromkeys(table.names, 0))
    for _ in range(len(totals)):
        for name, edit in totals.items():
            rows = np.flatnonzero(edit.broken(columns))
            columns[name][rows] = solve_for(name, edit, columns, rows)
    return np.column_stack([columns[name] for name in table.names])


def note_left_alone(edits: Sequence[Edit], kept: Sequence[Edit], table: Table) -> tuple[str, ...]:
    """Rules that also speak of columns which are neither drawn with these nor kept: nothing ties them to new values."""
    loose = [str(edit) for edit in edits if set(edit.columns) & set(table.names) and edit not in kept]
    if not loose:
        return ()
    return (f"{', '.join(loose)}: not kept; columns of a rule are drawn together, or the others are kept (given)",)
