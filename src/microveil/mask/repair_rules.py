"""Records that break rules of the data, put back into them by the smallest change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.edits import Edit
from microveil.data.table import Table, Values
from microveil.run.inside_rules import following_columns, solve_for
from microveil.run.job import Outcome


@dataclass(frozen=True)
class RuleRepair:
    """The rules about some columns that may move; other columns of the rules stay."""

    rules: Sequence[Edit]
    movable: tuple[str, ...]

    @classmethod
    def of(cls, edits: Sequence[Edit], table: Table, given: Table) -> RuleRepair:
        """The rules that speak of columns at hand, of which some may move."""
        known = {*table.names, *given.names}
        rules = [edit for edit in edits if set(edit.columns) <= known and set(edit.columns) & set(table.names)]
        return cls(rules, table.names)

    def outcome(self, table: Table, given: Table) -> Outcome:
        """Some records repaired; the tallies say how many were, and how many could not be."""
        columns = _numbers(table.columns, given)
        new = self.repaired(columns)
        left = self.broken({**columns, **new})
        moved = self.broken(columns) & ~left
        tallies = {"moved": int(moved.sum()), "left": int(left.sum())}
        return Outcome({name: table[name].with_data(new[name]) for name in table.names}, tallies=tallies)

    def kept(self, new: Mapping[str, Values], given: Table) -> list[Edit]:
        """The rules that no record breaks."""
        columns = _numbers(new, given)
        return [edit for edit in self.rules if not edit.broken(columns).any()]

    def broken(self, columns: Mapping[str, Floats]) -> Bools:
        """Which records break some rule."""
        rows = len(next(iter(columns.values()), np.zeros(0)))
        return np.asarray(np.any([np.zeros(rows, np.bool_), *(edit.broken(columns) for edit in self.rules)], axis=0))

    def repaired(self, columns: Mapping[str, Floats]) -> dict[str, Floats]:
        """The columns that may move, with every record that broke a rule put into all of them."""
        from microveil.kernels.moments.into_rules import project_into

        new = {name: columns[name].copy() for name in self.movable}
        rows = np.flatnonzero(self.broken(columns))
        if not len(rows):
            return new
        X = np.column_stack([columns[name][rows] for name in self.movable])
        forms = np.array([[edit.number(name) for name in self.movable] for edit in self.rules])
        constants = np.column_stack([self._constant(edit, columns)[rows] for edit in self.rules])
        totals = following_columns(self.rules, dict.fromkeys(self.movable, 0))
        equal = np.array([edit.equal for edit in self.rules])
        # what follows from others is computed from them at the end, and moves by its last digits then
        loose = np.array([len(edit.columns) > 1 or edit.columns[0] in totals for edit in self.rules])
        inside, found = project_into(X, forms, constants, equal, loose & ~equal)
        for j, name in enumerate(self.movable):
            new[name][rows[found]] = inside[found, j]
        _add_up(totals, {**columns, **new}, rows[found])
        return new

    def _constant(self, edit: Edit, columns: Mapping[str, Floats]) -> Floats:
        """What columns that stay add to the constant of a rule."""
        total = np.full(len(next(iter(columns.values()))), edit.constant)
        for name, number in zip(edit.columns, edit.coefficients, strict=True):
            if name not in self.movable:
                total += number * columns[name]
        return total


def _numbers(columns: Mapping[str, Values], given: Table) -> dict[str, Floats]:
    beside = {name: values.numbers for name, values in given.columns.items() if values.levels is None}
    return {**beside, **{name: values.numbers for name, values in columns.items()}}


def _add_up(totals: Mapping[str, Edit], columns: Mapping[str, Floats], rows: Ints) -> None:
    """Totals of some records exactly from their parts; a total may be a part of another, and a gap stays one."""
    for _ in range(len(totals)):
        for name, edit in totals.items():
            total = solve_for(name, edit, columns, rows)
            gaps = np.isnan(total) | np.isnan(columns[name][rows])
            columns[name][rows] = np.where(gaps, columns[name][rows], total)
