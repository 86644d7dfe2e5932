"""Columns of categories that lie in others: each district has one region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microveil.data.table import Table, Values

Int = NDArray[np.int64]

_EVIDENCE = 20.0  # how unlikely agreement by chance must be: its probability is below exp(-20)
_FIRST_ROWS = 1_000  # most pairs of columns disagree within these


@dataclass(frozen=True)
class Nesting:
    """Each value of the finer column occurs with one value of the coarser one."""

    finer: str
    coarser: str

    def __str__(self) -> str:
        return f"each {self.finer} has one {self.coarser}"

    def broken(self, before: Table, after: Table | Mapping[str, Values]) -> int:
        """How many records of `after` combine the two as no record of `before` does."""
        above = _above(before[self.finer], before[self.coarser])
        fine, coarse = after[self.finer].data, after[self.coarser].data
        seen = (fine >= 0) & (coarse >= 0)
        return int((above[fine[seen]] != coarse[seen]).sum())


def nestings(table: Table) -> tuple[Nesting, ...]:
    """Every pair of categorical columns of which one lies in the other, too often for chance."""
    names = [name for name, values in table.columns.items() if values.levels is not None]
    pairs = [(fine, coarse) for fine in names for coarse in names if fine != coarse]
    return tuple(Nesting(fine, coarse) for fine, coarse in pairs if _is_nested(table[fine], table[coarse]))


def _is_nested(fine: Values, coarse: Values) -> bool:
    first = slice(_FIRST_ROWS)
    if not _agrees(fine.with_data(fine.data[first]), coarse.with_data(coarse.data[first])):
        return False
    if not _agrees(fine, coarse):
        return False
    seen = (fine.data >= 0) & (coarse.data >= 0)
    if not seen.any():
        return False
    counts = np.bincount(coarse.data[seen])
    repeated = int(seen.sum()) - len(np.unique(fine.data[seen]))
    by_chance = float(((counts / counts.sum()) ** 2).sum())
    return bool(-repeated * np.log(by_chance) > _EVIDENCE)


def _agrees(fine: Values, coarse: Values) -> bool:
    seen = (fine.data >= 0) & (coarse.data >= 0)
    return bool((_above(fine, coarse)[fine.data[seen]] == coarse.data[seen]).all())


def _above(fine: Values, coarse: Values) -> Int:
    """A value of the coarser column for each value of the finer one, -1 where none was seen."""
    seen = (fine.data >= 0) & (coarse.data >= 0)
    above = np.full(len(fine.levels or ()), -1, dtype=np.int64)
    above[fine.data[seen]] = coarse.data[seen]
    return above
