"""The keys of a register on the ladders of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from microveil.core.arrays import Ints, Labels
from microveil.core.errors import BadInput
from microveil.data.coding import join_values
from microveil.data.microdata import Microdata
from microveil.data.table import Table
from microveil.hierarchy.stated import extend_paths
from microveil.mask.ladders import Ladder, ladder_of


def ladders_with_register(
    table: Table, register: Microdata | None, times: Ints | None = None
) -> tuple[list[Ladder], list[Labels] | None]:
    """The ladders of the file's keys, and the codes of the register on them.

    A ladder is that of both together, so that values which the file lacks have their places, too. `times` says how many
    records have each row of the table.
    """
    if register is None:
        return [ladder_of(values, name, times) for name, values in table.columns.items()], None
    absent = [name for name in table.names if name not in register.columns]
    if absent:
        raise BadInput(f"the register has no column {absent}; it needs all keys")
    ladders, codes = [], []
    for name, values in table.columns.items():
        other = register.values(name, values.kind)
        # values that the file lacks have their place by the rule of its hierarchy
        paths = extend_paths(values.hierarchy, other.levels or ()) if values.hierarchy else None
        both = join_values([replace(values, hierarchy=paths), replace(other, hierarchy=paths)])
        everybody = None if times is None else np.append(times, np.ones(len(other.data), dtype=np.int64))
        ladder = ladder_of(both, name, everybody)
        own = ladder.codes[: table.rows]
        ladders.append(Ladder(values, own, ladder.steps, times=times))
        codes.append(ladder.codes[table.rows :])
    return ladders, codes


def refuse_without_register(asked: bool, register: Microdata | None, by: Sequence[str] | str | None) -> None:
    """What counts a register needs one, and one that nobody asked for is a mistake."""
    if asked and register is None:
        raise BadInput(
            "register, presence and population_uniqueness count the people of a register; give it with register=..."
        )
    if register is not None and not asked:
        raise BadInput("a register is given and the model asks nothing of it; say what with register or presence")
    if register is not None and by:
        raise BadInput("a register is counted by all keys in the whole file; leave by out")
