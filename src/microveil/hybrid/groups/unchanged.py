"""What came back as it was: cells, records, columns, and groups that give their values away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from microveil.core.arrays import Bools, Labels
from microveil.data.table import Table, Values
from microveil.data.units import observed_unit, round_to
from microveil.hybrid.groups.degenerate import constant_columns_of_groups


def tell_unchanged_in_groups(table: Table, columns: Mapping[str, Values], labels: Labels) -> tuple[str, ...]:
    """How many records, groups and columns came back as they were: a group of equal values gives them away."""
    names, sizes = tuple(columns), np.bincount(labels)
    same = find_unchanged_cells(table, columns)
    constant = constant_columns_of_groups(table.only(names), labels)
    notes = [f"{int(same.all(axis=1).sum()):,} of {table.rows:,} records came back unchanged"]
    whole = int(_given_away(same, constant, labels, [table[name].levels is None for name in names]).sum())
    if whole:
        notes.append(
            f"{whole} of {len(sizes)} groups could not be changed (equal values, or determined by the kept columns): "
            "whoever is known to be in one of them is known with every replaced value"
        )
    told = [f"{name} in {count}" for name, count in zip(names, constant.sum(axis=0).tolist(), strict=True) if count]
    if told:
        notes.append(
            f"all members share one value of {', '.join(told)} of the {len(sizes)} groups; whoever is known to be in "
            "such a group has it revealed"
        )
    still = [name for j, name in enumerate(names) if same[:, j].all()]
    return (*notes, f"no value of {', '.join(still)} changed") if still else tuple(notes)


def tell_unchanged_records(table: Table, columns: Mapping[str, Values]) -> tuple[str, ...]:
    """How many records came back as they were, if any did: small or constant clusters leave little to do."""
    after = {name: columns.get(name, before) for name, before in table.columns.items()}
    if any(table[name].levels != values.levels for name, values in after.items()):
        return ()
    count = int(find_unchanged_cells(table, after).all(axis=1).sum())
    return (f"{count:,} of {table.rows:,} records came back unchanged",) if count else ()


def find_unchanged_cells(table: Table, columns: Mapping[str, Values]) -> Bools:
    """Which cells came back as they were, in the digits of the file; a gap equals a gap."""
    return np.column_stack([_same(table[name], values) for name, values in columns.items()])


def _same(before: Values, after: Values) -> Bools:
    data = after.data
    if before.levels is None and (unit := observed_unit(before.numbers)) is not None:
        data = round_to(after.numbers, unit)
    return np.asarray((before.data == data) | (before.missing & after.missing))


def _given_away(same: Bools, constant: Bools, labels: Labels, number: Sequence[bool]) -> Bools:
    """Groups in which every column is constant or, for numbers, came back; categories may come back by chance."""
    sizes = np.bincount(labels)
    still = np.column_stack([np.bincount(labels, weights=column) == sizes for column in same.T])
    return np.asarray((constant | (still & np.asarray(number))).all(axis=1))
