"""Columns that no step changed, and how many records they give away by themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.words import list_all
from microveil.data.schema import TECHNICAL_ROLES
from microveil.measure import Pair
from microveil.plan.as_it_was import is_as_it_was

_LEAST_TOLD = 10.0  # per cent of the records


@dataclass(frozen=True)
class Untouched:
    """Columns released as they were, and the per cent of records that they find by themselves.

    One who knows them takes any record with the same values: of each combination of values one record is found.
    """

    columns: tuple[str, ...]
    found: float

    def __str__(self) -> str:
        many = len(self.columns) > 1
        was, alone = ("were", "together find") if many else ("was", "alone finds")
        names = list_all([str(name) for name in self.columns])
        return f"{names} {was} not changed and {alone} {format_number(self.found)} % of the records"

    def to_json(self) -> Json:
        """The same in plain JSON terms."""
        return {"columns": list(self.columns), "found": self.found}


def find_untouched(pair: Pair, changed: Collection[str]) -> tuple[Untouched, ...]:
    """Each column that is as it was and finds many records alone, and all others together where those do.

    `changed` are the columns of the steps: one of them may come back as it was, and has been dealt with all the same.
    """
    names = [
        name
        for name in pair.columns
        if name not in changed and pair.before.roles[name] not in TECHNICAL_ROLES and is_as_it_was(pair, name)
    ]
    if not pair.after.n:
        return ()
    alone = sorted((Untouched((name,), _found(pair, [name])) for name in names), key=lambda one: -one.found)
    telling = [one for one in alone if one.found >= _LEAST_TOLD]
    rest = [name for name in names if (name,) not in [one.columns for one in telling]]
    if len(rest) > 1 and (together := Untouched(tuple(rest), _found(pair, rest))).found >= _LEAST_TOLD:
        telling.append(together)
    return tuple(telling)


def _found(pair: Pair, names: Sequence[str]) -> float:
    """The number of different combinations of values in per cent of the records."""
    table = pair.tables(names)[1]
    combined = np.zeros(table.rows, dtype=np.int64)
    for name in names:
        codes = np.unique(table[name].data, return_inverse=True)[1]
        combined = np.unique(combined * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    return 100.0 * (int(combined.max()) + 1) / table.rows
