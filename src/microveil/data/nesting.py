"""Columns of categories that lie in others: each district has one region."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from microveil.core.arrays import AnyInts, Bools, Ints
from microveil.data.table import Table, Values

_EVIDENCE = 20.0  # how unlikely agreement by chance must be: its probability is below exp(-20)
_FIRST_ROWS = 1_000  # most pairs of columns disagree within these
_FEW_ROWS = 32  # and many within these, at which one column is compared with all others at once


@dataclass(frozen=True)
class Nesting:
    """Each value of the finer column occurs with one value of the coarser one."""

    finer: str
    coarser: str

    def __str__(self) -> str:
        return f"each {self.finer} has one {self.coarser}"

    def broken(self, before: Table, after: Table | Mapping[str, Values]) -> int:
        """How many records of `after` combine the two as no record of `before` does."""
        above = _above(before[self.finer].data, before[self.coarser].data, len(before[self.finer].levels or ()))
        fine, coarse = after[self.finer].data, after[self.coarser].data
        seen = (fine >= 0) & (coarse >= 0)
        return int((above[fine[seen]] != coarse[seen]).sum())


def nestings(table: Table) -> tuple[Nesting, ...]:
    """Every pair of categorical columns of which one lies in the other, too often for chance."""
    return nestings_of_codes({name: values.data for name, values in table.columns.items() if values.levels is not None})


def nestings_of_codes(columns: Mapping[Any, AnyInts]) -> tuple[Nesting, ...]:
    """The same for columns of codes, -1 where missing, whatever their order."""
    pairs = _worth_looking_at(columns) if len(columns) > 1 else ()
    return tuple(Nesting(fine, coarse) for fine, coarse in pairs if _is_nested(columns[fine], columns[coarse]))


def _worth_looking_at(columns: Mapping[Any, AnyInts]) -> Iterator[tuple[Any, Any]]:
    """The pairs of columns that few records do not show to be apart, and that could be more than chance."""
    names = np.empty(len(columns), dtype=object)
    names[:] = list(columns)
    counts = [np.bincount(codes + 1)[1:] for codes in columns.values()]  # without gaps
    distinct = np.array([np.count_nonzero(one) for one in counts])
    repeated = np.array([one.sum() for one in counts]) - distinct
    # chance is least where all values of the coarser column are equally frequent
    surprise = np.log(np.maximum(distinct, 1))
    head = np.column_stack([codes[:_FEW_ROWS] for codes in columns.values()])
    for place, fine in enumerate(names):
        possible = repeated[place] * surprise > _EVIDENCE
        possible[place] = False
        others = np.flatnonzero(possible)
        if len(others):
            yield from ((fine, coarse) for coarse in names[others[_may_agree(head[:, place], head[:, others])]])


def _may_agree(fine: AnyInts, others: AnyInts) -> Bools:
    """Which of the other columns never differ where the finer one is the same; gaps agree with everything."""
    first = np.unique(fine, return_index=True, return_inverse=True)
    alike = others[first[1][first[2]]]
    agree = (others == alike) | (others < 0) | (alike < 0) | (fine < 0)[:, None]
    return np.asarray(agree.all(axis=0))


def _is_nested(fine: AnyInts, coarse: AnyInts) -> bool:
    if not _agrees(fine[:_FIRST_ROWS], coarse[:_FIRST_ROWS]) or not _agrees(fine, coarse):
        return False
    seen = (fine >= 0) & (coarse >= 0)
    if not seen.any():
        return False
    counts = np.bincount(coarse[seen])
    repeated = int(seen.sum()) - int(np.count_nonzero(np.bincount(fine[seen])))
    by_chance = float(((counts / counts.sum()) ** 2).sum())
    return bool(-repeated * np.log(by_chance) > _EVIDENCE)


def _agrees(fine: AnyInts, coarse: AnyInts) -> bool:
    seen = (fine >= 0) & (coarse >= 0)
    return bool((_above(fine, coarse)[fine[seen]] == coarse[seen]).all())


def _above(fine: AnyInts, coarse: AnyInts, levels: int = 0) -> Ints:
    """A value of the coarser column for each value of the finer one, -1 where none was seen."""
    seen = (fine >= 0) & (coarse >= 0)
    above = np.full(max(levels, int(fine.max(initial=-1)) + 1), -1, dtype=np.int64)
    above[fine[seen]] = coarse[seen]
    return above
