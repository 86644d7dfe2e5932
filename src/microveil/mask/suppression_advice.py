"""Advice where suppression takes many cells: which keys to recode first, and what that would leave to suppress."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from microveil.core.arrays import Codes, Ints
from microveil.core.open_types import Cell, Hierarchy
from microveil.data.table import Table
from microveil.kernels.suppression.pieces import Pieces
from microveil.kernels.tables.classes import count_up, group_rows

Suppress = Callable[[Codes], Pieces]

MANY = 0.05  # share of the cells of the keys above which advice is given
_GROUPS = 10  # to which keys with more values are coarsened to see what it would do
_MOST_KEYS = 3
_MOST_RECORDS = 20_000  # above it the suppression is not run once more, only rare combinations are counted
_WORTH_IT = 0.7


def advice_on(
    table: Table, keys: Sequence[str], k: int, found: Pieces, suppress: Suppress, times: Ints
) -> tuple[str, ...]:
    """A sentence on recoding, if more than 5 % of the key cells are left out and recoding would spare many of them.

    `found` tells the cells left out, `suppress` finds those of other codes, and so many records have each row of the
    table. Keys are merged in the order of their values, or along their hierarchy, into groups of about equal size;
    other groups would give other figures.
    """
    share = _share_lost(found)
    if share <= MANY:
        return ()
    codes = table.codes(tuple(keys))
    coarse = {j: _coarsened(table, name, codes[:, j], times) for j, name in enumerate(keys)}
    candidates = {j: grouped for j, grouped in coarse.items() if grouped is not None}
    chosen = _best_keys(codes, candidates, k, times)
    if not chosen:
        return ()
    recoded = codes.copy()
    for j in chosen:
        recoded[:, j] = candidates[j]
    named = " and ".join(
        f"{keys[j]} ({_distinct(codes[:, j])} values) to {_distinct(candidates[j])} groups" for j in chosen
    )
    begin = f"{100 * share:.0f} % of the key cells are left out; recode {named} first"
    if int(times.sum()) > _MOST_RECORDS:
        before, after = _rare(codes, k, times), _rare(recoded, k, times)
        if after > _WORTH_IT * before:
            return ()
        return (f"{begin}: {100 * after:.2g} % of the records would have rare keys instead of {100 * before:.2g} %",)
    left = _share_lost(suppress(recoded))
    return (f"{begin}: about {100 * left:.2g} %",) if left <= _WORTH_IT * share else ()


def _coarsened(table: Table, name: str, codes: Codes, times: Ints) -> Codes | None:
    """The codes in groups: by the hierarchy where there is one, else neighbours in order; None for few values."""
    values = table[name]
    if values.hierarchy:
        # amounts are coded by their different values, a gap as 0 among them (`Table.codes`)
        levels = values.levels or np.unique(np.where(values.missing, 0.0, values.numbers)).tolist()
        group = _generalised(levels, values.hierarchy)
    else:
        counts = count_up(codes[codes >= 0], times[codes >= 0])
        if np.count_nonzero(counts) <= _GROUPS:
            return None
        middle = np.cumsum(counts) - counts / 2.0
        group = np.minimum((_GROUPS * middle / counts.sum()).astype(np.int64), _GROUPS - 1)
    coarse = np.where(codes >= 0, group[np.maximum(codes, 0)], -1)
    return coarse if _distinct(coarse) < _distinct(codes) else None


def _generalised(levels: Sequence[Cell], hierarchy: Hierarchy) -> Codes:
    """The group of each level on the first rung of the hierarchy with few groups, or on the last with several."""
    paths = [hierarchy.get(level) or (level,) for level in levels]
    group = np.arange(len(levels), dtype=np.int64)
    for rung in range(max(map(len, paths))):
        tops = [path[min(rung, len(path) - 1)] for path in paths]
        number = {top: i for i, top in enumerate(dict.fromkeys(tops))}
        if len(number) == 1:
            break
        group = np.array([number[top] for top in tops], dtype=np.int64)
        if len(number) <= _GROUPS:
            break
    return group


def _best_keys(codes: Codes, candidates: dict[int, Codes], k: int, times: Ints) -> list[int]:
    """One key after the other, each time that which leaves the fewest rare combinations, while many are left."""
    current, chosen, rare = codes.copy(), list[int](), _rare(codes, k, times)
    while rare > MANY and len(chosen) < min(_MOST_KEYS, len(candidates)):
        others = {j: grouped for j, grouped in candidates.items() if j not in chosen}
        left = {j: _rare(_replaced(current, j, grouped), k, times) for j, grouped in others.items()}
        best = min(left, key=lambda j: left[j])
        if left[best] >= rare:
            break
        chosen.append(best)
        current, rare = _replaced(current, best, candidates[best]), left[best]
    return chosen


def _replaced(codes: Codes, j: int, column: Codes) -> Codes:
    out = codes.copy()
    out[:, j] = column
    return out


def _rare(codes: Codes, k: int, times: Ints) -> float:
    """The share of records whose combination fewer than k records have."""
    sizes = count_up(group_rows(codes)[0], times)
    return float(sizes[sizes < k].sum() / sizes.sum())


def _share_lost(found: Pieces) -> float:
    """The share of the cells that is left out."""
    return float(found.lost.sum() / (found.times.sum() * found.cells.shape[1]))


def _distinct(codes: Codes) -> int:
    return len(np.unique(codes[codes >= 0]))
